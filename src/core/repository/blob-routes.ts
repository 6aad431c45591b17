import { blobStream, readInfo } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes } from '../../platform/http/answer.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import { readContent } from './file.ts';
import { rawHeaders } from './files-routes.ts';
import { projectPath, unlessRemoved } from './reading.ts';

const RepositoryBlob = Type.Object(
  { size: Type.Integer(), encoding: Type.String(), content: Type.String(), sha: Type.String() },
  { $id: 'RepositoryBlob' },
);

const blobPath = { ...projectPath, sha: param.string({ description: 'Id of the blob.' }) };

/** `/projects/:id/repository/blobs`: contents by their own id, whatever the name of the file. */
export function blobRoutes(room: Room, core: Core): void {
  room.get('/projects/:id/repository/blobs/:sha', {
    summary: 'A blob with its contents',
    params: params(blobPath),
    responses: { 200: RepositoryBlob },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async ({ guarded, params, signal }) => {
      const repo = core.repositoryOf(guarded.project);
      const blob = await findBlob(repo, params.sha, signal);
      const content = await readContent(repo, blob.oid, signal);
      return { size: blob.size, encoding: 'base64', content: content.toString('base64'), sha: blob.oid };
    },
  });

  room.get('/projects/:id/repository/blobs/:sha/raw', {
    summary: 'The bytes of a blob',
    params: params(blobPath),
    responses: { 200: null },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async ({ guarded, params, method, signal }) => {
      const repo = core.repositoryOf(guarded.project);
      const blob = await findBlob(repo, params.sha, signal);
      const headers = rawHeaders(blob.oid);
      if (method === 'HEAD') return new Answer(200, undefined, headers);
      return new Answer(200, new Bytes(await blobStream(repo, blob.oid, signal)), headers);
    },
  });
}

/** By full or short id only: `main:file` is a question for the file routes. */
async function findBlob(repo: Repository, sha: string, signal: AbortSignal) {
  const info = /^[0-9a-f]{4,40}$/i.test(sha) ? await unlessRemoved(readInfo(repo, sha, signal)) : null;
  if (info?.type !== 'blob') throw fail.notFound('Blob');
  return info;
}
