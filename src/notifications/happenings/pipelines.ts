import type { Tx } from '../../platform/db/tables.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { NoticeKind } from '../notice.ts';
import type { PipelineFacts, PipelineSource } from '../sources.ts';
import { type Happening, NO_FACTS } from './happening.ts';
import { recordOutcome } from './outcomes-store.ts';

type PipelineEvent = DeliveredEvent<'pipeline.updated'>;

/** A pipeline that has ended, for a look at the transaction's own memory of the ref. */
export interface EndedPipeline {
  facts: PipelineFacts;
  event: PipelineEvent;
}

/** Null where it has not ended well or badly, is gone, or nobody started it. */
export async function endedPipeline(
  pipelines: PipelineSource,
  event: PipelineEvent,
): Promise<EndedPipeline | null> {
  if (event.payload.status !== 'success' && event.payload.status !== 'failed') return null;
  const facts = await pipelines.pipeline(event.payload.pipelineId);
  return facts === null || facts.userId === null ? null : { facts, event };
}

/** What is told of it, in the transaction that tells: only to who started it. */
export async function pipelineHappening(tx: Tx, { facts, event }: EndedPipeline): Promise<Happening | null> {
  const kind = await kindOf(tx, { facts, event });
  if (kind === null || facts.userId === null) return null;
  const { status } = event.payload;
  const { id, iid, projectId, sha, title, ref, mergeRequestIid, userId } = facts;
  return {
    eventId: event.id,
    at: event.createdAt,
    kind,
    actorId: null,
    fromId: null,
    thing: {
      ...NO_FACTS,
      type: 'Pipeline',
      projectId,
      id,
      iid,
      sha,
      title,
      path: `/-/pipelines/${id}`,
      reference: `#${id}`,
      state: status,
      authorId: userId,
      mayRead: (reader) => reader.can('read_build'),
    },
    ref: null,
    act: { ref, ...(mergeRequestIid !== null && { by: `!${mergeRequestIid}` }) },
    audience: 'named',
    candidates: [{ userId, capacity: 'watch', reason: 'started' }],
  };
}

/** One that was overtaken, and a child, say nothing of their ref. */
async function kindOf(tx: Tx, { facts, event }: EndedPipeline): Promise<NoticeKind | null> {
  const { status } = event.payload;
  const own = status === 'failed' ? 'failed_pipeline' : 'success_pipeline';
  if (facts.overtaken || facts.child) return own;
  const before = await recordOutcome(tx, {
    project_id: facts.projectId,
    ref: facts.ref,
    tag: facts.tag ? 1 : 0,
    pipeline_id: facts.id,
    status,
    event_id: event.id,
  });
  if (before === 'seen') return null;
  return status === 'success' && before === 'failed' ? 'fixed_pipeline' : own;
}
