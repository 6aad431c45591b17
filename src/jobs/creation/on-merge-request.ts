import type { Actor } from '../../core/caller.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { readCommit } from '../../git/objects.ts';
import type { MergeRequestFacts } from '../ports.ts';
import type { PipelineRow } from '../tables.ts';
import { mergeRequestRef } from '../variables/merge-request-variables.ts';
import { actorOf } from './act-as.ts';
import { createPipelineFor } from './create.ts';
import type { CreationDeps, Refusal } from './request.ts';
import { asksToSkip } from './skip.ts';

/** Begins a pipeline for what a merge request offers, when it is opened and whenever somebody pushes to it. */
export function followMergeRequests(deps: CreationDeps): void {
  const { core, ports } = deps;
  const types = ['merge_request.opened', 'merge_request.updated'] as const;
  core.events.subscribe('jobs.merge-requests', types, async ({ id: eventId, type, payload }) => {
    if (type === 'merge_request.updated' && !payload.changes.includes('sha')) return;
    const facts = await ports.mergeRequests.find(payload.mergeRequestId);
    const actor = await actorOf(core, payload.userId);
    if (facts?.state === 'opened' && actor) {
      await beginForMergeRequest(deps, facts, { actor, eventId });
    }
  });
}

export interface Wanted {
  actor: Actor;
  /** The event that asks for it; where nobody asked, the message of the commit may ask for none. */
  eventId?: number;
}

const NOTHING: Refusal = { refused: 'no jobs', messages: ['The merge request has no commit.'] };

/** Begins a pipeline for the commit that a merge request offers now. */
export async function beginForMergeRequest(
  deps: CreationDeps,
  facts: MergeRequestFacts,
  { actor, eventId }: Wanted,
): Promise<PipelineRow | Refusal> {
  const { core } = deps;
  const project = await placeOf(deps, facts, actor);
  const commit = project && facts.sha ? await readCommit(core.repositoryOf(project), facts.sha) : null;
  if (!project || !commit || (eventId !== undefined && asksToSkip(commit.message))) return NOTHING;
  return createPipelineFor(deps, {
    project,
    ref: mergeRequestRef(facts.iid),
    tag: false,
    sha: commit.id,
    source: 'merge_request_event',
    actor,
    mergeRequestId: facts.id,
    eventId: eventId ?? null,
    keepBroken: true,
  });
}

/**
 * The project in which it runs: where it is to be merged, if whoever begins it may run jobs there; else the fork, so that
 * what a stranger offers never reaches the runners and variables of others.
 */
async function placeOf({ core }: CreationDeps, facts: MergeRequestFacts, actor: Actor) {
  const { projectId, sourceProjectId } = facts;
  for (const id of new Set([projectId, sourceProjectId])) {
    const project = id === null ? undefined : await findProjectById(core.db, id);
    if (project && (await core.access.project(actor, project)).can('update_build')) return project;
  }
  return null;
}
