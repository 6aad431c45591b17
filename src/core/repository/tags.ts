import { type Commit, type Identity, readCommits, readTag, type Tag } from '../../git/objects.ts';
import { isValidRefName } from '../../git/ref-name.ts';
import { RefConflict, RefNameClash } from '../../git/ref-update.ts';
import { listRefs, type Ref, resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { resolveRevision } from '../../git/revision.ts';
import { writeObject } from '../../git/write.ts';
import { fail } from '../../platform/errors.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import type { InProject } from '../guards.ts';
import { TAGS } from './default-branch.ts';
import { PUSH_TEXTS, RefRules } from './push-rules.ts';
import { unlessRemoved } from './reading.ts';
import { matchesSearch } from './ref-search.ts';

/** A tag with what it stands on. */
export interface FoundTag {
  name: string;
  /** Of the tag object where there is one, else of the commit. */
  oid: string;
  /** null for a lightweight tag. */
  annotation: Tag | null;
  /** null when it ends at what is no commit. */
  commit: Commit | null;
}

export const TAG_ORDERS = ['name', 'updated', 'version'] as const;

export interface TagFilter {
  search?: string | null | undefined;
  orderBy: (typeof TAG_ORDERS)[number];
  sort: 'asc' | 'desc';
}

/** Tags of tags: nobody nests them deeper, and a broken repository must not hold us. */
const MAX_NESTING = 10;

const nameOf = (ref: Ref) => ref.name.slice(TAGS.length);

/** Names of every tag that the filter lets through, in its order. */
export async function listTags(
  repo: Repository,
  { search, orderBy, sort }: TagFilter,
  signal: AbortSignal,
): Promise<readonly Ref[]> {
  const fits = search ? matchesSearch(search) : () => true;
  const refs = (await unlessRemoved(listRefs(repo, TAGS))).filter((ref) => fits(nameOf(ref)));
  const ordered = orderBy === 'updated' ? await byDate(repo, refs, signal) : byName(refs, orderBy);
  return sort === 'desc' ? ordered.reverse() : ordered;
}

async function byDate(repo: Repository, refs: Ref[], signal: AbortSignal): Promise<Ref[]> {
  const tags = await readTags(repo, refs, signal);
  const dates = tags.map(({ annotation, commit }) => (annotation?.tagger ?? commit?.committer)?.date ?? 0);
  return refs
    .map((ref, index) => ({ ref, date: dates[index] ?? 0 }))
    .sort((a, b) => a.date - b.date)
    .map(({ ref }) => ref);
}

function byName(refs: Ref[], orderBy: 'name' | 'version'): Ref[] {
  if (orderBy === 'name') return refs;
  // `v1.10` after `v1.9`, as git's `version:refname`.
  const collator = new Intl.Collator('en', { numeric: true });
  return refs.sort((a, b) => collator.compare(nameOf(a), nameOf(b)));
}

/** Reads what the refs point at, many at once. */
export async function readTags(
  repo: Repository,
  refs: readonly Ref[],
  signal?: AbortSignal,
): Promise<FoundTag[]> {
  const commits = await readCommits(
    repo,
    refs.map((ref) => ref.oid),
    signal,
  );
  return Promise.all(
    refs.map(async (ref, index) => {
      const commit = commits[index];
      if (commit) return { name: nameOf(ref), oid: ref.oid, annotation: null, commit };
      return readAnnotated(repo, ref, signal);
    }),
  );
}

async function readAnnotated(repo: Repository, ref: Ref, signal?: AbortSignal): Promise<FoundTag> {
  const annotation = await readTag(repo, ref.oid, signal);
  let at = annotation;
  for (let depth = 0; at?.type === 'tag' && depth < MAX_NESTING; depth++) {
    at = await readTag(repo, at.object, signal);
  }
  const [commit] = at?.type === 'commit' ? await readCommits(repo, [at.object], signal) : [null];
  return { name: nameOf(ref), oid: ref.oid, annotation, commit: commit ?? null };
}

/** Throws 404 when there is none. */
export async function findTag(repo: Repository, name: string, signal?: AbortSignal): Promise<FoundTag> {
  const oid = await unlessRemoved(resolveRef(repo, TAGS + name));
  if (oid === null) throw fail.notFound('Tag');
  const [tag] = await readTags(repo, [{ name: TAGS + name, oid }], signal);
  if (!tag) throw fail.notFound('Tag');
  return tag;
}

export interface NewTag {
  name: string;
  /** A branch, a tag or a commit. */
  ref: string;
  /** Makes it an annotated tag. */
  message: string | null;
  signal: AbortSignal;
}

export async function createTag(
  core: Core,
  caller: Actor,
  { project, access }: InProject,
  { name, ref, message, signal }: NewTag,
): Promise<FoundTag> {
  const repo = core.repositoryOf(project);
  if (!isValidRefName(TAGS + name) || name.startsWith('-')) throw fail.refused('Tag name invalid');
  const target = await unlessRemoved(resolveRevision(repo, ref, signal));
  if (await resolveRef(repo, TAGS + name)) throw fail.refused(`Tag ${name} already exists`);
  if (target === null) throw fail.refused(`Target ${ref} is invalid`);
  const rules = await RefRules.load({ core, project, access });
  if (!rules.tag(name).mayCreate) throw fail.refused(PUSH_TEXTS.tagCreate);
  const tagger = {
    name: caller.user.name,
    email: caller.user.email,
    date: core.clock.now(),
    offset: '+00:00',
  };
  const oid = message ? await writeTag(repo, { name, target, message, tagger }) : target;
  const update = { ref: TAGS + name, old: null, new: oid };
  try {
    await core.refUpdates.update(project, [update], { userId: caller.user.id, via: 'api' });
  } catch (error) {
    if (error instanceof RefConflict) throw fail.refused(`Tag ${name} already exists`);
    if (error instanceof RefNameClash) throw fail.refused('Tag name invalid');
    throw error;
  }
  return findTag(repo, name, signal);
}

interface Annotation {
  name: string;
  target: string;
  message: string;
  tagger: Identity;
}

function writeTag(repo: Repository, { name, target, message, tagger }: Annotation): Promise<string> {
  const clean = (text: string) => text.replace(/[\0\n\r<>]/g, '').trim();
  const seconds = Math.floor(tagger.date / 1000);
  const lines = [
    `object ${target}`,
    'type commit',
    `tag ${name}`,
    `tagger ${clean(tagger.name)} <${clean(tagger.email)}> ${seconds} +0000`,
  ];
  const text = message.endsWith('\n') ? message : `${message}\n`;
  return writeObject(repo, 'tag', Buffer.from(`${lines.join('\n')}\n\n${text}`));
}

export async function deleteTag(
  core: Core,
  caller: Actor,
  { project, access }: InProject,
  name: string,
): Promise<void> {
  const tag = await findTag(core.repositoryOf(project), name);
  const rules = await RefRules.load({ core, project, access });
  const verdict = rules.tag(name);
  if (!verdict.mayDelete) {
    throw fail.forbidden(verdict.protected ? PUSH_TEXTS.tagDeleteNotAllowed : undefined);
  }
  const update = { ref: TAGS + name, old: tag.oid, new: null };
  try {
    await core.refUpdates.update(project, [update], { userId: caller.user.id, via: 'api' });
  } catch (error) {
    if (error instanceof RefConflict) throw fail.refused('Failed to remove tag');
    throw error;
  }
}
