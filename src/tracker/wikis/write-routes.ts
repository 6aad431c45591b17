import type { Core, Room } from '../../core/core.ts';
import { projectPath } from '../../core/repository/reading.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { attachFile, markdownFor } from './attachments.ts';
import { WikiAttachmentEntity, WikiPageEntity } from './entities.ts';
import { WRITABLE_FORMATS } from './formats.ts';
import { pagePath, readPage } from './read-routes.ts';
import { createPage, deletePage, updatePage } from './write-page.ts';

/** The longest page as JSON writes it at its worst; an attachment has the most of it. */
const BODY_LIMIT = 32 * 1024 * 1024;

/** Writing `/projects/:id/wikis`: each call is one commit of the caller. */
export function wikiWriteRoutes(room: Room, core: Core): void {
  const writes = core.guards.project('create_wiki');

  room.post('/projects/:id/wikis', {
    summary: 'Write a new page',
    params: params({
      ...projectPath,
      title: param.string({ description: 'Folders before a slash: `dir/page`.' }),
      content: param.string(),
      format: withDefault(param.oneOf(WRITABLE_FORMATS), 'markdown'),
    }),
    responses: { 201: WikiPageEntity },
    bodyLimit: BODY_LIMIT,
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { project } = guarded;
      const page = await createPage(core, { caller, project, signal }, params);
      return readPage(page.repository, { commit: page.id, slug: page.slug, signal });
    },
  });

  room.put('/projects/:id/wikis/:slug', {
    summary: 'Change, rename or move a page',
    params: params(
      {
        ...pagePath,
        title: optional(
          param.string({
            description:
              'Without a slash the page stays in its folder; with one in front it goes to the top.',
          }),
        ),
        content: optional(param.string()),
        format: optional(param.oneOf(WRITABLE_FORMATS)),
      },
      { atLeastOneOf: [['content', 'title', 'format']] },
    ),
    responses: { 200: WikiPageEntity },
    bodyLimit: BODY_LIMIT,
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { project } = guarded;
      const page = await updatePage(core, { caller, project, signal }, params.slug, params);
      return readPage(page.repository, { commit: page.id, slug: page.slug, signal });
    },
  });

  room.delete('/projects/:id/wikis/:slug', {
    summary: 'Delete a page; its history stays',
    params: params(pagePath),
    responses: { 204: null },
    guard: writes,
    handler: ({ caller, guarded, params, signal }) =>
      deletePage(core, { caller, project: guarded.project, signal }, params.slug),
  });

  room.post('/projects/:id/wikis/attachments', {
    summary: 'Put a file into the wiki, for pages to show',
    params: params({
      ...projectPath,
      file: param.file(),
      branch: optional(param.string({ description: 'The default branch of the wiki when left out.' })),
    }),
    responses: { 201: WikiAttachmentEntity },
    bodyLimit: BODY_LIMIT,
    guard: writes,
    handler: async ({ caller, guarded, params, signal }) => {
      const { project } = guarded;
      const attachment = await attachFile(core, { caller, project, signal }, params);
      const { fileName, filePath, branch } = attachment;
      return {
        file_name: fileName,
        file_path: filePath,
        branch,
        link: { url: filePath, markdown: markdownFor(attachment) },
      };
    },
  });
}
