import type { Database } from '../../platform/db/database.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { createPipeline, type PipelineDeps, refreshPipeline } from '../pipelines/pipelines.ts';
import { lockPipelines, newestPipeline } from '../pipelines/store.ts';
import type { JobRow, PipelineRow } from '../tables.ts';
import {
  countStatuses,
  findOpenStatus,
  hasJobNamed,
  hasStatusOn,
  insertStatus,
  markOthersRetried,
  type StatusFilter,
  type StatusListing,
  type StatusRow,
  selectStatuses,
  updateStatus,
} from './store.ts';
import { type PostedState, transition } from './transitions.ts';

export type { StatusFilter, StatusListing, StatusRow } from './store.ts';

export interface StatusDeps extends PipelineDeps {
  database: Database;
}

export interface PostStatus {
  projectId: number;
  /** The full id of a commit that exists. */
  sha: string;
  userId: number;
  state: PostedState;
  ref?: string | null | undefined;
  name?: string | null | undefined;
  /** The older word for `name`, which wins. */
  context?: string | null | undefined;
  targetUrl?: string | null | undefined;
  description?: string | null | undefined;
  coverage?: number | null | undefined;
  pipelineId?: number | null | undefined;
  /** The first branch, by name, that has the commit; asked only when nothing else tells the ref. */
  branchOf: () => Promise<string | null>;
  /** Throws when the caller may not change pipelines of this ref: a protected branch for one. */
  authorize: (ref: string) => Promise<void>;
}

/** External statuses come after every stage of the pipeline's own. */
const EXTERNAL_STAGE = { stage: 'external', stage_idx: 1_000_000 };
const MAX_LENGTH = 255;
/** The longest name git itself takes for a ref here; more would not fit an index entry of PostgreSQL. */
const MAX_REF_BYTES = 1024;

/**
 * Posts a status as GitLab does: finds or makes the pipeline, moves the caller's open status of that name on or makes a new
 * one, and brings the pipeline up to date, all or nothing. Throws 404 (`References for commit`, `Pipeline …`), 400 for
 * values and transitions, and what `authorize` throws.
 */
export async function postStatus(deps: StatusDeps, input: PostStatus): Promise<StatusRow> {
  const ref = await refFor(deps.database.db, input);
  await input.authorize(ref);
  refuseInvalid(input, ref);
  // The lock on the project's row settles every race between writers, and makes them wait rather than fail: many CI
  // systems post at the same moment.
  return deps.database.transaction(
    async (tx) => {
      await lockPipelines(tx, input.projectId);
      const pipeline = await pipelineFor(tx, deps, input, ref);
      const row = await writeStatus(tx, deps, input, pipeline);
      await refreshPipeline(tx, deps, pipeline.id);
      return { ...row, sha: pipeline.sha };
    },
    { isolation: 'read committed' },
  );
}

/** The ref whose pipeline the status belongs to: the one named, else that of the newest pipeline, else a branch that has the commit. */
async function refFor(db: Queryable, input: PostStatus): Promise<string> {
  const { projectId, sha, pipelineId } = input;
  const named = input.ref || undefined;
  const found = await newestPipeline(db, { projectId, sha, ref: named, id: pipelineId ?? undefined });
  const ref = found?.ref ?? named ?? (await newestPipeline(db, { projectId, sha }))?.ref;
  const certain = ref ?? (await input.branchOf());
  if (!certain) throw fail.notFound('References for commit');
  if (pipelineId != null && !found) throw noPipeline();
  return certain;
}

const noPipeline = () => fail.notFound('Pipeline for pipeline_id, sha and ref');

async function pipelineFor(
  tx: Tx,
  deps: StatusDeps,
  { projectId, sha, userId, pipelineId }: PostStatus,
  ref: string,
): Promise<PipelineRow> {
  const found = await newestPipeline(tx, { projectId, sha, ref, id: pipelineId ?? undefined });
  if (found) return found;
  if (pipelineId != null) throw noPipeline();
  return createPipeline(tx, deps, { projectId, sha, ref, source: 'external', userId });
}

async function writeStatus(
  tx: Tx,
  deps: StatusDeps,
  input: PostStatus,
  pipeline: PipelineRow,
): Promise<JobRow> {
  const { userId, state } = input;
  const { id: pipelineId, ref } = pipeline;
  const name = nameOf(input);
  if (await hasJobNamed(tx, pipelineId, name)) throw fail.invalid({ name: ['has already been taken'] });
  const open = await findOpenStatus(tx, { pipelineId, name, ref, userId });
  const now = deps.clock.now();
  const changes = { ...transition(open ?? null, state, now), ...sentFields(input), updated_at: now };
  const row = open
    ? await updateStatus(tx, open.id, changes)
    : await insertStatus(tx, newRow(pipeline, { name, userId, now, changes }));
  await markOthersRetried(tx, row);
  await announce(tx, deps, row, pipeline.sha, userId);
  return row;
}

const nameOf = ({ name, context }: Pick<PostStatus, 'name' | 'context'>) =>
  name?.trim() ? name : context?.trim() ? context : 'default';

/** Only what was sent, and not blank, replaces what is there. */
function sentFields({ targetUrl, description, coverage }: PostStatus) {
  return {
    ...(targetUrl?.trim() && { target_url: targetUrl }),
    ...(description?.trim() && { description }),
    ...(coverage != null && { coverage }),
  };
}

interface NewRow<Changes> {
  name: string;
  userId: number;
  now: number;
  changes: Changes;
}

function newRow<Changes>(pipeline: PipelineRow, { name, userId, now, changes }: NewRow<Changes>) {
  return {
    kind: 'external' as const,
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    name,
    ...EXTERNAL_STAGE,
    ref: pipeline.ref,
    tag: pipeline.tag,
    user_id: userId,
    created_at: now,
    updated_at: now,
    description: null,
    target_url: null,
    coverage: null,
    ...changes,
  };
}

async function announce(tx: Tx, { events }: StatusDeps, row: JobRow, sha: string, userId: number) {
  const { id: statusId, project_id: projectId, pipeline_id: pipelineId, name, status } = row;
  await events.publish(tx, {
    type: 'commit_status.updated',
    stream: `project:${projectId}`,
    payload: { projectId, pipelineId, statusId, sha, name, status, userId },
  });
}

function refuseInvalid(input: PostStatus, ref: string): void {
  const errors: FieldErrors = {};
  const tooLong = [`is too long (maximum is ${MAX_LENGTH} characters)`];
  if (nameOf(input).length > MAX_LENGTH) errors['name'] = tooLong;
  if ((input.description?.length ?? 0) > MAX_LENGTH) errors['description'] = tooLong;
  const url = input.targetUrl?.trim() ? input.targetUrl : null;
  const blocked = url === null ? null : blockedUrl(url);
  const problems = [...(blocked ? [blocked] : []), ...((url?.length ?? 0) > MAX_LENGTH ? tooLong : [])];
  if (problems.length > 0) errors['target_url'] = problems;
  if (Buffer.byteLength(ref) > MAX_REF_BYTES)
    errors['ref'] = [`is too long (maximum is ${MAX_REF_BYTES} bytes)`];
  if (Object.keys(errors).length > 0) throw fail.invalid(errors);
}

/** Pages show it as a link: anything but http would run in the reader's browser. */
function blockedUrl(url: string): string | null {
  if (!/^https?:/i.test(url)) return 'is blocked: Only allowed schemes are http, https';
  return URL.canParse(url) ? null : 'is blocked: URI is invalid';
}

/**
 * The statuses of a commit, CI jobs included. Rows are chosen by the literal full id: a branch name finds none. Where neither
 * a ref nor a pipeline is asked for they are those of `defaultBranch`; of every ref where the commit has none on it.
 */
export async function listStatuses(
  db: Queryable,
  { defaultBranch, ...asked }: StatusFilter & { defaultBranch: string | null },
  listing: StatusListing,
): Promise<{ rows: StatusRow[]; total: number }> {
  const { projectId, sha, ref, pipelineId } = asked;
  const open = !ref && pipelineId == null && defaultBranch !== null;
  const narrowed = open && (await hasStatusOn(db, { projectId, sha, ref: defaultBranch }));
  const filter = narrowed ? { ...asked, ref: defaultBranch } : asked;
  const total = await countStatuses(db, filter);
  return { rows: total > listing.offset ? await selectStatuses(db, filter, listing) : [], total };
}
