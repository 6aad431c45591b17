import type { Core } from '../core/core.ts';
import { findProjectById } from '../core/projects/store.ts';
import { keepAround } from '../git/keep-around.ts';
import { RepositoryNotFound } from '../git/repository.ts';
import type { DeliveredEvent } from '../platform/events/event.ts';
import { findMergeRequestById } from '../tracker/merge-requests/store.ts';
import '../jobs/events.ts';
import '../tracker/events.ts';

const TYPES = [
  'note.created',
  'pipeline.updated',
  'merge_request.opened',
  'merge_request.updated',
  'merge_request.merged',
] as const;

type Told = DeliveredEvent<(typeof TYPES)[number]>;

/** A commit that somebody has commented on, tested or offered stays readable when its branch is gone. */
export function keepWhatIsReferredTo(core: Core): void {
  core.events.subscribe('commits.keep-around', TYPES, async (event) => {
    const commits = await commitsOf(core, event);
    const project = commits.length > 0 && (await findProjectById(core.db, event.payload.projectId));
    if (project) await unlessGone(keepAround(core.repositoryOf(project), commits));
  });
}

/** The ids that the row behind the event names. */
async function commitsOf(core: Core, { type, payload }: Told): Promise<string[]> {
  if (type === 'note.created') return payload.commitId === null ? [] : [payload.commitId];
  // every later change of a pipeline is of the same commit
  if (type === 'pipeline.updated') return payload.before === null ? [payload.sha] : [];
  if (type === 'merge_request.updated' && !payload.changes.includes('sha')) return [];
  const row = await findMergeRequestById(core.db, payload.mergeRequestId);
  return [row?.sha, row?.base_sha, row?.start_sha, row?.merge_commit_sha, row?.squash_commit_sha].flatMap(
    (oid) => oid ?? [],
  );
}

/** A repository that is being deleted needs nothing any more. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RepositoryNotFound)) throw error;
  }
}
