import { ARCHIVE_FORMATS, type ArchiveFormat, archive } from '../../git/archive.ts';
import { ApiError, fail } from '../../platform/errors.ts';
import { Answer, Bytes, contentDisposition } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { Core, Room } from '../core.ts';
import type { InProject } from '../guards.ts';
import { findCommit, projectPath } from './reading.ts';

const asked = {
  ...projectPath,
  sha: optional(param.string({ description: 'Branch, tag or commit; the default branch when left out.' })),
  path: optional(param.string({ description: 'Only this file or folder.' })),
  include_lfs_blobs: optional(
    param.boolean({ description: 'Large file storage is off: accepted, without effect.' }),
  ),
};

interface ArchiveCall {
  guarded: InProject;
  params: { sha?: string | null | undefined; path?: string | null | undefined };
  method: string;
  signal: AbortSignal;
}

/** `/projects/:id/repository/archive`, and the same with the format as an extension */
export function archiveRoutes(room: Room, core: Core): void {
  room.get('/projects/:id/repository/archive', {
    summary: 'All files of a commit in one archive',
    params: params({ ...asked, format: optional(param.string({ description: ARCHIVE_FORMATS.join(', ') })) }),
    responses: { 200: null },
    scopes: ['read_repository'],
    jobToken: true,
    guard: core.guards.repository(),
    handler: (call) => sendArchive(core, call, formatOf(call.params.format ?? 'tar.gz')),
  });
  for (const format of ARCHIVE_FORMATS) {
    room.get(`/projects/:id/repository/archive.${format}`, {
      summary: `All files of a commit as ${format}`,
      params: params(asked),
      responses: { 200: null },
      scopes: ['read_repository'],
      jobToken: true,
      guard: core.guards.repository(),
      handler: (call) => sendArchive(core, call, format),
    });
  }
}

function formatOf(text: string): ArchiveFormat {
  const format = ARCHIVE_FORMATS.find((known) => known === text);
  if (!format) throw new ApiError('not_acceptable', { format: text.slice(0, 50) });
  return format;
}

async function sendArchive(
  core: Core,
  { guarded, params, method, signal }: ArchiveCall,
  format: ArchiveFormat,
): Promise<Answer> {
  const { project } = guarded;
  const repo = core.repositoryOf(project);
  const ref = params.sha || project.default_branch || 'HEAD';
  const commit = await findCommit(repo, ref, signal);
  if (!commit) throw fail.notFound('File');
  const path = params.path?.replace(/^\/+|\/+$/g, '') || undefined;
  const prefix = [project.path, flat(ref), commit.id, ...(path ? [flat(path)] : [])].join('-');
  const made = await archive(repo, { oid: commit.id, format, prefix, path, signal });
  const headers = {
    'content-type': made.contentType,
    'content-disposition': contentDisposition('attachment', made.filename),
  };
  if (method !== 'HEAD') return new Answer(200, new Bytes(made.stream), headers);
  made.stream.destroy();
  return new Answer(200, undefined, headers);
}

/** As part of a folder's name. */
const flat = (text: string) => text.replace(/[^\w.@+-]+/g, '-');
