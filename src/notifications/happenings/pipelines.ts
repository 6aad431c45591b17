import type { Tx } from '../../platform/db/tables.ts';
import type { DeliveredEvent } from '../../platform/events/event.ts';
import type { NoticeAct, NoticeKind } from '../notice.ts';
import type { NotificationSources, PipelineFacts, ThingFacts } from '../sources.ts';
import { type Happening, NO_FACTS } from './happening.ts';
import { recordOutcome } from './outcomes-store.ts';

type PipelineEvent = DeliveredEvent<'pipeline.updated'>;

/** A pipeline that has ended, for a look at the transaction's own memory of the ref. */
export interface EndedPipeline {
  facts: PipelineFacts;
  mergeRequest: ThingFacts | null;
  event: PipelineEvent;
}

/** Null where it has not ended well or badly, is gone, or nobody started it. */
export async function endedPipeline(
  { pipelines, tracker }: NotificationSources,
  event: PipelineEvent,
): Promise<EndedPipeline | null> {
  if (event.payload.status !== 'success' && event.payload.status !== 'failed') return null;
  const facts = await pipelines.pipeline(event.payload.pipelineId);
  if (facts === null || facts.userId === null) return null;
  const { mergeRequestId: id } = facts;
  const mergeRequest = id === null ? null : await tracker.thing({ type: 'MergeRequest', id });
  return { facts, mergeRequest, event };
}

/** What is told of it, in the transaction that tells: only to who started it. */
export async function pipelineHappening(tx: Tx, ended: EndedPipeline): Promise<Happening | null> {
  const { facts, event } = ended;
  const kind = await kindOf(tx, ended);
  if (kind === null || facts.userId === null) return null;
  const { status } = event.payload;
  const { id, iid, projectId, sha, title, userId } = facts;
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
    act: actOf(ended),
    audience: 'named',
    candidates: [{ userId, capacity: 'watch', reason: 'started' }],
  };
}

/** People know the branch of a merge request, and not the ref that its pipelines run on. */
function actOf({ facts: { ref }, mergeRequest }: EndedPipeline): NoticeAct {
  const sourceBranch = mergeRequest?.sourceBranch;
  if (!mergeRequest || !sourceBranch) return { ref };
  return { ref, sourceBranch, by: mergeRequest.reference };
}

/** One that was overtaken, and a child, say nothing of their ref. */
async function kindOf(
  tx: Tx,
  { facts, event }: Pick<EndedPipeline, 'facts' | 'event'>,
): Promise<NoticeKind | null> {
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
