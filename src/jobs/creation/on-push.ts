import { findProjectById } from '../../core/projects/store.ts';
import type { RefMoved } from '../../core/repository/events.ts';
import { kindOfRef } from '../../core/repository/ref-rules.ts';
import { readCommitAt } from '../../git/objects.ts';
import { RepositoryNotFound } from '../../git/repository.ts';
import { actorOf } from './act-as.ts';
import { createPipelineFor } from './create.ts';
import type { CreationDeps } from './request.ts';
import { asksToSkip, wishesOf } from './skip.ts';

/** Begins a pipeline for every branch and tag that is pushed, whoever moved it and how. */
export function followPushes(deps: CreationDeps): void {
  const { events, log } = deps.core;
  events.subscribe('jobs.pushes', ['ref.moved'], async ({ id, payload }) => {
    try {
      await beginFor(deps, payload, id);
    } catch (error) {
      if (!(error instanceof RepositoryNotFound)) throw error;
      log.info({ project: payload.projectId }, 'no pipeline: the repository is gone');
    }
  });
}

async function beginFor(deps: CreationDeps, move: RefMoved, eventId: number): Promise<void> {
  const { core } = deps;
  const { ref, newOid, oldOid, origin } = move;
  const { kind, name } = kindOfRef(ref);
  const wishes = wishesOf(origin.pushOptions);
  const counts = kind === 'branch' || kind === 'tag';
  if (!counts || newOid === null || origin.via === 'import' || wishes.none) return;
  if (origin.firstRefs && !origin.firstRefs.includes(ref)) return;
  const project = await findProjectById(core.db, move.projectId);
  const actor = await actorOf(core, origin.userId);
  if (!project || !actor) return;
  const commit = await readCommitAt(core.repositoryOf(project), newOid);
  if (!commit) return;
  await createPipelineFor(deps, {
    project,
    ref: name,
    tag: kind === 'tag',
    sha: commit.id,
    beforeSha: oldOid,
    source: 'push',
    actor,
    variables: wishes.variables,
    inputs: wishes.inputs,
    eventId,
    skip: wishes.skip || asksToSkip(commit.message),
    keepBroken: true,
  });
}
