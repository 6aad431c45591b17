import type { Core } from '../../core/core.ts';
import { wikiRepositoryOf } from '../../core/projects/wiki.ts';
import type { Repository } from '../../git/repository.ts';
import type { TreeAction } from '../../git/tree-edit.ts';
import { fail } from '../../platform/errors.ts';
import { refuseLongContent } from '../content-size.ts';
import { commitToWiki, type WikiCommit, type WikiWriter } from './commit.ts';
import { endingOf, type WritableFormat } from './formats.ts';
import { findPage, type WikiPage } from './pages.ts';
import { folderOf, pathForTitle, slugOf, titleOf } from './titles.ts';

export interface NewPage {
  title: string;
  content: string;
  format: WritableFormat;
}

export interface PageChanges {
  title?: string | null | undefined;
  content?: string | null | undefined;
  /** Stays as it is when left out. */
  format?: WritableFormat | null | undefined;
}

/** A write that is done: where the page can be read as it left it. */
export interface WrittenPage extends WikiCommit {
  slug: string;
}

const MAX_CONTENT_BYTES = 5 * 1024 * 1024;

/** Throws 400 in GitLab's words for a title that is taken or no good, or a text that is too long. */
export async function createPage(core: Core, writer: WikiWriter, input: NewPage): Promise<WrittenPage> {
  const stem = pathForTitle(input.title);
  refuseLongContent(input.content, MAX_CONTENT_BYTES);
  const slug = slugOf(stem);
  const path = `${stem}.${endingOf(input.format)}`;
  const commit = await commitToWiki(core, writer, async (repository, parent) => {
    if (await pageAt(repository, parent, { slug, signal: writer.signal })) {
      throw fail.invalid({ base: ['Duplicate page: A page with that title already exists'] });
    }
    const message = messageOf(writer, 'created', slug);
    return { message, actions: [{ action: 'create', path, content: Buffer.from(input.content) }] };
  });
  return { ...commit, slug };
}

/** A new title or format moves the file. Throws 404 when there is no such page, 400 as `createPage` does. */
export async function updatePage(
  core: Core,
  writer: WikiWriter,
  slug: string,
  changes: PageChanges,
): Promise<WrittenPage> {
  refuseLongContent(changes.content ?? '', MAX_CONTENT_BYTES);
  await demandWiki(core, writer);
  let newSlug = slug;
  const commit = await commitToWiki(core, writer, async (repository, parent) => {
    const page = await demandPage(repository, parent, { slug, signal: writer.signal });
    const path = pathAfter(page, changes);
    newSlug = path === page.path ? page.slug : slugOf(stemAfter(page, changes));
    const taken =
      newSlug !== page.slug && (await pageAt(repository, parent, { slug: newSlug, signal: writer.signal }));
    if (taken) throw fail.invalid({ title: ['There is already a page with the same title in that path.'] });
    return { message: messageOf(writer, 'updated', newSlug), actions: actionsFor(page, path, changes) };
  });
  return { ...commit, slug: newSlug };
}

/** Throws 404 when there is no such page. */
export async function deletePage(core: Core, writer: WikiWriter, slug: string): Promise<void> {
  await demandWiki(core, writer);
  await commitToWiki(core, writer, async (repository, parent) => {
    const page = await demandPage(repository, parent, { slug, signal: writer.signal });
    return {
      message: messageOf(writer, 'deleted', page.slug),
      actions: [{ action: 'delete', path: page.path }],
    };
  });
}

interface Where {
  slug: string;
  signal: AbortSignal;
}

/** In any format. */
async function pageAt(repository: Repository, parent: string | null, where: Where) {
  return parent === null ? undefined : findPage(repository, parent, where);
}

async function demandPage(repository: Repository, parent: string | null, where: Where): Promise<WikiPage> {
  const page = await pageAt(repository, parent, where);
  if (!page) throw fail.notFound('Wiki Page');
  return page;
}

/** A wiki is not begun by looking for a page to change. */
async function demandWiki(core: Core, { project }: WikiWriter): Promise<void> {
  if (!(await wikiRepositoryOf(core, project).exists())) throw fail.notFound('Wiki Page');
}

/** A title that says what the page is called already moves nothing, however its file is written. */
function stemAfter(page: WikiPage, { title }: PageChanges): string {
  if (!title) return page.stem;
  const stem = pathForTitle(title, folderOf(page.stem));
  return slugOf(stem) === page.slug ? page.stem : stem;
}

function pathAfter(page: WikiPage, changes: PageChanges): string {
  const { format } = changes;
  const ending = format && format !== page.format ? endingOf(format) : page.path.slice(page.stem.length + 1);
  return `${stemAfter(page, changes)}.${ending}`;
}

function actionsFor(page: WikiPage, path: string, { content }: PageChanges): TreeAction[] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : undefined;
  if (path !== page.path) return [{ action: 'move', previousPath: page.path, path, content: bytes }];
  return bytes ? [{ action: 'update', path, content: bytes }] : [];
}

/** As GitLab writes it, where the API knows no message. */
const messageOf = ({ caller }: WikiWriter, verb: string, slug: string): string =>
  `${caller.user.username} ${verb} page: ${titleOf(slug)}`;
