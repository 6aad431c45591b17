import type { Core, Room } from '../../core/core.ts';
import { wikiRepositoryOf, wikiTip } from '../../core/projects/wiki.ts';
import { projectPath, unlessRemoved } from '../../core/repository/reading.ts';
import { fail } from '../../platform/errors.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { presentPage, presentPageBasic, WikiPageBasicEntity, WikiPageEntity } from './entities.ts';
import { findPage, listPages, readContents, versionOf } from './pages.ts';
import { PageRenderer } from './render/render.ts';

export const pagePath = {
  ...projectPath,
  slug: param.string({ description: 'Slug of the page, URL-encoded: `dir%2Fpage_name`.' }),
};

/** Reading `/projects/:id/wikis` */
export function wikiReadRoutes(room: Room, core: Core): void {
  const reads = core.guards.project('read_wiki');
  const renderer = new PageRenderer();

  room.get('/projects/:id/wikis', {
    summary: 'Every page of a wiki',
    params: params({
      ...projectPath,
      with_content: optional(param.boolean({ description: 'With the texts of the pages.' })),
    }),
    responses: { 200: Type.Array(Type.Union([WikiPageEntity, WikiPageBasicEntity])) },
    guard: reads,
    handler: ({ guarded, params, signal }) =>
      unlessRemoved(list(core, guarded.project, { withContent: params.with_content === true, signal })),
  });

  room.get('/projects/:id/wikis/:slug', {
    summary: 'A page of a wiki',
    params: params({
      ...pagePath,
      render_html: optional(param.boolean({ description: 'The page as HTML instead of as it was written.' })),
      version: optional(param.string({ description: 'A commit of the wiki; its newest when left out.' })),
    }),
    responses: { 200: WikiPageEntity },
    guard: reads,
    handler: async ({ guarded, params: { slug, version, render_html: asHtml }, signal }) => {
      const repository = wikiRepositoryOf(core, guarded.project);
      const tip = await wikiTip(repository);
      const commit = tip && (await versionOf(repository, { version, tip: tip.oid, signal }));
      if (!commit) throw fail.notFound('Wiki Page');
      const page = await readPage(repository, { commit, slug, signal });
      return asHtml ? { ...page, content: await renderer.render(page, signal) } : page;
    },
  });
}

async function list(
  core: Core,
  project: { id: number; storage_path: string },
  { withContent, signal }: { withContent: boolean; signal: AbortSignal },
) {
  const repository = wikiRepositoryOf(core, project);
  const tip = await wikiTip(repository);
  const pages = tip ? await listPages(repository, tip.oid, signal) : [];
  if (!withContent) return pages.map(presentPageBasic);
  const contents = await readContents(repository, pages, signal);
  return pages.map((page, index) => presentPage(page, contents[index] ?? ''));
}

/** The page of this slug as a commit has it; 404 where it has none. */
export async function readPage(
  repository: ReturnType<typeof wikiRepositoryOf>,
  { commit, slug, signal }: { commit: string; slug: string; signal: AbortSignal },
) {
  const page = await unlessRemoved(findPage(repository, commit, { slug, signal }));
  if (!page) throw fail.notFound('Wiki Page');
  const [content = ''] = await unlessRemoved(readContents(repository, [page], signal));
  return presentPage(page, content);
}
