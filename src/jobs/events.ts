import type { JobStatus } from './states.ts';

declare module '../platform/events/event.ts' {
  interface EventTypes {
    /** In the stream `project:<id>`. A pipeline is new, or its status is another one. */
    'pipeline.updated': {
      projectId: number;
      pipelineId: number;
      ref: string;
      sha: string;
      /** Set where it is a merge request's own. */
      mergeRequestId: number | null;
      /** null: the pipeline is new. */
      before: JobStatus | null;
      status: JobStatus;
    };
    /** The status of a job or bridge is another one, or one was begun again. A job that has become `pending` waits for a runner. */
    'job.updated': {
      projectId: number;
      pipelineId: number;
      jobId: number;
      /** null: it was begun again, as a new job. Those that a pipeline begins with are not told of by themselves. */
      before: JobStatus | null;
      status: JobStatus;
    };
    /** A job of the group waits for its turn, or has ended. */
    'resource_group.moved': { projectId: number; key: string };
    /** It is a bridge's turn. Told by itself, so that nobody needs to look at what becomes of every other job. */
    'bridge.due': { projectId: number; pipelineId: number; jobId: number };
    /** The rows are gone already. */
    'pipeline.deleted': { projectId: number; pipelineId: number; userId: number | null };
    /** An external status was posted: made, or moved on. */
    'commit_status.updated': {
      projectId: number;
      pipelineId: number;
      statusId: number;
      sha: string;
      name: string;
      status: JobStatus;
      userId: number;
    };
  }
}
