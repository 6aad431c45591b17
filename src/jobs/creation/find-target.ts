import type { Core } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { readCommitAt } from '../../git/objects.ts';
import { resolveRef } from '../../git/refs.ts';
import type { Refusal, Target } from './request.ts';

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';

const UNKNOWN: Refusal = { refused: 'unknown ref', messages: ['Reference not found'] };
const AMBIGUOUS: Refusal = { refused: 'unknown ref', messages: ['Ref is ambiguous'] };

/** The branch or tag of this name, short or full, with the commit that it is at. A commit's id is no name for a pipeline. */
export async function findTarget(
  { repositoryOf }: Pick<Core, 'repositoryOf'>,
  project: ProjectWithNamespace,
  name: string,
): Promise<Target | Refusal> {
  const repo = repositoryOf(project);
  const candidates = [HEADS, TAGS].map((prefix) => (name.startsWith(prefix) ? name : prefix + name));
  const full = name.startsWith(HEADS) || name.startsWith(TAGS) ? [name] : candidates;
  const found: { ref: string; oid: string }[] = [];
  for (const ref of full) {
    const oid = await resolveRef(repo, ref);
    if (oid !== null) found.push({ ref, oid });
  }
  const [first] = found;
  if (!first) return UNKNOWN;
  if (found.length > 1) return AMBIGUOUS;
  const commit = await readCommitAt(repo, first.oid);
  if (!commit) return UNKNOWN;
  const tag = first.ref.startsWith(TAGS);
  return { project, ref: first.ref.slice((tag ? TAGS : HEADS).length), tag, sha: commit.id };
}

/** The full name of a pipeline's branch or tag. */
export const fullRef = ({ ref, tag }: Pick<Target, 'ref' | 'tag'>): string => (tag ? TAGS : HEADS) + ref;
