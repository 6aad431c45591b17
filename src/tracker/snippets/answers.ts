import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { nameOf } from '../../core/repository/file.ts';
import { rawHeaders } from '../../core/repository/files-routes.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes } from '../../platform/http/answer.ts';
import { pageAnswer, pageOf } from '../../platform/http/pagination.ts';
import { param } from '../../platform/http/params.ts';
import type { ApiRequest } from '../../platform/http/request.ts';
import { Type } from '../../platform/http/schema.ts';
import { SnippetEntity } from './entities.ts';
import { countSnippets, listSnippets, type SnippetFilter } from './list-store.ts';
import { presentSnippets, SNIPPET_BRANCH } from './present.ts';
import { filesOf } from './store.ts';
import type { SnippetRow } from './tables.ts';

/** What the routes of personal snippets and those of projects answer alike. */

export const listAnswers = { 200: Type.Array(SnippetEntity) };

type Listed = Pick<ApiRequest<Caller, object, unknown>, 'baseUrl' | 'path' | 'linkParams'> & {
  params: {
    page?: number | null | undefined;
    per_page?: number | null | undefined;
    created_after?: number | null | undefined;
    created_before?: number | null | undefined;
  };
};

export async function answerList(core: Core, call: Listed, where: SnippetFilter): Promise<Answer> {
  const { params: asked, baseUrl } = call;
  const page = pageOf(asked);
  const filter = { ...where, createdAfter: asked.created_after, createdBefore: asked.created_before };
  const total = await countSnippets(core.db, filter);
  const slice = { limit: page.perPage, offset: page.offset };
  const rows = total > page.offset ? await listSnippets(core.db, filter, slice) : [];
  return pageAnswer(call, page, await presentSnippets(core.db, rows, baseUrl), { total });
}

/** The bytes of the first file. */
export async function answerRaw(core: Core, { id }: SnippetRow): Promise<Answer> {
  const [file] = await filesOf(core.db, id);
  if (!file) throw fail.notFound('File');
  return rawAnswer(file);
}

export const filePath = {
  ref: param.string({ description: `\`${SNIPPET_BRANCH}\`: files of snippets have no history.` }),
  file_path: param.string({ description: 'Path of the file, URL-encoded.' }),
};

/** The bytes of the file of this name. */
export async function answerFile(
  core: Core,
  { id }: SnippetRow,
  { ref, file_path: path }: { ref: string; file_path: string },
): Promise<Answer> {
  if (ref !== SNIPPET_BRANCH && ref !== 'HEAD') throw fail.notFound('Reference');
  const file = (await filesOf(core.db, id)).find((each) => each.path === path);
  if (!file) throw fail.notFound('File');
  return rawAnswer(file);
}

const rawAnswer = ({ path, content }: { path: string; content: string }): Answer =>
  new Answer(200, new Bytes(Buffer.from(content)), rawHeaders(nameOf(path)));

/** Where a snippet was made, for administrators; 404 where nobody noted it down. */
export function agentDetail({ user_agent, ip_address }: SnippetRow) {
  if (user_agent === null || ip_address === null) throw fail.notFound('UserAgentDetail');
  return { user_agent, ip_address, akismet_submitted: false };
}

/** Where a call came from, to be kept. */
export const originOf = ({
  headers,
  incoming,
}: Pick<ApiRequest<Caller, object, unknown>, 'headers' | 'incoming'>) => ({
  userAgent: headers['user-agent']?.slice(0, 1000) ?? null,
  ipAddress: incoming.socket.remoteAddress ?? null,
});
