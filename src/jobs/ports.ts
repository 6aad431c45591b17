/** What jobs need of rooms that they may not know; `service.ts` wires it. */

/** A merge request as its pipelines see it. */
export interface MergeRequestFacts {
  id: number;
  iid: number;
  /** The project it is to be merged into. */
  projectId: number;
  /** null: the fork it came from is gone. */
  sourceProjectId: number | null;
  sourceBranch: string;
  targetBranch: string;
  /** The commit offered; null where there is none. */
  sha: string | null;
  /** Where the branches part. */
  baseSha: string | null;
  /** Id of the newest version of its diff. */
  diffId: number | null;
  state: 'opened' | 'closed' | 'merged' | 'locked';
  title: string;
  description: string;
  draft: boolean;
  squash: boolean;
  approved: boolean;
  /** User names. */
  assignees: string[];
  labels: string[];
  milestone: string | null;
}

export interface MergeRequestPort {
  find(id: number): Promise<MergeRequestFacts | null>;
  findByIid(projectId: number, iid: number): Promise<MergeRequestFacts | null>;
  /** Full references (`group/project!3`) of the newest open ones from this branch, a handful at most. */
  openFrom(projectId: number, branch: string): Promise<string[]>;
}

export interface JobPorts {
  mergeRequests: MergeRequestPort;
}
