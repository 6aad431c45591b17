import { type Static, Type } from '../../platform/http/schema.ts';

/** What merge requests need of rooms that they may not know. */

/** A pipeline as the jobs room presents it: the entities are that room's own. */
export const ForeignEntity = Type.Object({}, { additionalProperties: true });

export interface HeadPipeline {
  status: string;
  /** ISO 8601. */
  startedAt: string | null;
  finishedAt: string | null;
  basic: Static<typeof ForeignEntity>;
  detail: Static<typeof ForeignEntity>;
}

/** The newest pipeline for a commit, the merge request's own or its source branch's; null when there is none. */
export type FindHeadPipeline = (
  head: { mergeRequestId: number; projectId: number; ref: string; sha: string },
  baseUrl: string,
) => Promise<HeadPipeline | null>;

export interface PipelinesOf {
  mergeRequestId: number;
  /** Where they ran: the project of the source branch. */
  projectId: number;
  ref: string;
  /** Of any of these commits. */
  shas: readonly string[];
}

/** Newest first. */
export type ListPipelines = (
  of: PipelinesOf,
  page: { limit: number; offset: number },
  baseUrl: string,
) => Promise<{ items: Static<typeof ForeignEntity>[]; total: number }>;

export interface MergeRequestPorts {
  findHeadPipeline: FindHeadPipeline;
  listPipelines: ListPipelines;
}
