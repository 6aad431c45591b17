import type { Repository } from './repository.ts';
export interface CommitStats {
  additions: number;
  deletions: number;
}
export declare function commitStats(
  repo: Repository,
  oids: string[],
  signal?: AbortSignal,
): Promise<Map<string, CommitStats>>;
