import { blobStream } from '../../git/objects.ts';
import { Answer, Bytes, contentDisposition } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import { contentHash, defaultRef, fileHeaders, findFile, lastCommitId, nameOf, readContent } from './file.ts';
import { projectPath } from './reading.ts';

const FileEntity = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    size: Type.Integer(),
    encoding: Type.String(),
    content_sha256: Type.String(),
    ref: Type.String(),
    blob_id: Type.String(),
    commit_id: Type.String(),
    last_commit_id: Type.String(),
    execute_filemode: Type.Boolean(),
    content: Type.String(),
  },
  { $id: 'File' },
);

export const filePath = {
  ...projectPath,
  file_path: param.string({ description: 'Full path of the file, URL-encoded.' }),
};

/** Up to here a raw file is read before it is sent, so that its checksum can stand in a header. */
const HASHED_BYTES = 1024 * 1024;

/** Reading `/projects/:id/repository/files` */
export function fileRoutes(room: Room, core: Core): void {
  const reads = core.guards.repository();

  room.get('/projects/:id/repository/files/:file_path', {
    summary: 'A file with its contents; HEAD gives the facts in headers',
    params: params({ ...filePath, ref: param.string({ blank: false }) }),
    responses: { 200: FileEntity },
    scopes: ['read_repository'],
    guard: reads,
    handler: async ({ guarded, params, signal }) => {
      const repo = core.repositoryOf(guarded.project);
      const file = await findFile(repo, { path: params.file_path, ref: params.ref, signal });
      const content = await readContent(repo, file.blobId, signal);
      const sha256 = contentHash(content);
      const lastCommit = await lastCommitId(repo, file, signal);
      const body = {
        file_name: nameOf(file.path),
        file_path: file.path,
        size: file.size,
        encoding: 'base64',
        content_sha256: sha256,
        ref: file.ref,
        blob_id: file.blobId,
        commit_id: file.commitId,
        last_commit_id: lastCommit,
        execute_filemode: file.executable,
        content: content.toString('base64'),
      };
      return new Answer(200, body, fileHeaders(file, { lastCommit, sha256 }));
    },
  });

  room.get('/projects/:id/repository/files/:file_path/raw', {
    summary: 'The bytes of a file',
    params: params({
      ...filePath,
      ref: optional(param.string({ description: 'The default branch when left out.' })),
      lfs: optional(param.boolean({ description: 'Large file storage is off: accepted, without effect.' })),
    }),
    responses: { 200: null },
    scopes: ['read_repository'],
    guard: reads,
    handler: async ({ guarded, params, method, signal }) => {
      const { project } = guarded;
      const repo = core.repositoryOf(project);
      const ref = params.ref || defaultRef(project);
      const file = await findFile(repo, { path: params.file_path, ref, signal });
      const short = file.size <= HASHED_BYTES ? await readContent(repo, file.blobId, signal) : null;
      const lastCommit = await lastCommitId(repo, file, signal);
      const headers = {
        ...fileHeaders(file, { lastCommit, sha256: short && contentHash(short) }),
        ...rawHeaders(nameOf(file.path)),
      };
      if (method === 'HEAD') return new Answer(200, undefined, headers);
      return new Answer(200, new Bytes(short ?? (await blobStream(repo, file.blobId, signal))), headers);
    },
  });
}

/** Never a type that a browser would run: the file is somebody's, the address is ours. */
export function rawHeaders(name: string): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': contentDisposition('inline', name),
  };
}
