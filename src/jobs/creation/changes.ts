import { mergeBase } from '../../git/ancestry.ts';
import { readInfo } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { ConfigError } from '../config/merge/config-error.ts';
import { namesIn } from '../config/names.ts';

/**
 * The question of `rules:changes`: which paths differ between a commit and what it is compared with, `base` where the rule
 * names nothing. null where there is nothing to compare with. Asked again it answers from memory. Throws ConfigError where the
 * rule names no branch, tag or commit.
 */
export function changedPathsOf(
  repo: Repository,
  { sha, base }: { sha: string; base: string | null },
): (compareTo: string | null) => Promise<string[] | null> {
  const known = new Map<string | null, Promise<string[] | null>>();
  const look = async (compareTo: string | null) => {
    if (compareTo === null) return base === null ? null : pathsBetween(repo, base, sha);
    const other = await resolveRevision(repo, compareTo);
    if (other === null) throw new ConfigError('rules:changes:compare_to is not a valid ref');
    const from = await mergeBase(repo, [other, sha]);
    return from ? pathsBetween(repo, from, sha) : null;
  };
  return (compareTo) => {
    const answer = known.get(compareTo) ?? look(compareTo);
    known.set(compareTo, answer);
    return answer;
  };
}

async function pathsBetween(repo: Repository, from: string, to: string): Promise<string[] | null> {
  // a force push may have left nothing of what was there before
  if (!(await readInfo(repo, from))) return null;
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to];
  return namesIn(await repo.run(args));
}
