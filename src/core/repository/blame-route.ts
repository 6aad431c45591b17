import { blame } from '../../git/blame.ts';
import { type Commit, readCommits } from '../../git/objects.ts';
import { Answer } from '../../platform/http/answer.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import { isHash } from '../../platform/http/rack.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import { commitDate } from './commit-entity.ts';
import { fileHeaders, findFile, lastCommitId } from './file.ts';
import { filePath } from './files-routes.ts';

const BlameRange = Type.Object(
  {
    commit: Type.Object({
      id: Type.String(),
      parent_ids: Type.Array(Type.String()),
      message: Type.String(),
      authored_date: Type.String(),
      author_name: Type.String(),
      author_email: Type.String(),
      committed_date: Type.String(),
      committer_name: Type.String(),
      committer_email: Type.String(),
    }),
    lines: Type.Array(Type.String()),
  },
  { $id: 'BlameRange' },
);

/** `GET /projects/:id/repository/files/:file_path/blame` */
export function blameRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/files/:file_path/blame', {
    summary: 'Which commit each line of a file came with',
    params: params({
      ...filePath,
      ref: param.string({ blank: false }),
      range: optional(
        param.hash(params({ start: param.integer({ minimum: 1 }), end: param.integer({ minimum: 1 }) }), {
          description: 'First and last line, from 1.',
        }),
      ),
    }),
    responses: { 200: Type.Array(BlameRange) },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    check: rangeProblems,
    handler: async ({ guarded, params, method, signal }) => {
      const repo = core.repositoryOf(guarded.project);
      const file = await findFile(repo, { path: params.file_path, ref: params.ref, signal });
      const headers = fileHeaders(file, { lastCommit: await lastCommitId(repo, file, signal), sha256: null });
      if (method === 'HEAD') return new Answer(200, [], headers);
      const range = params.range ?? undefined;
      const groups = await blame(repo, { oid: file.commitId, path: file.path, range, signal });
      const ids = groups.map((group) => group.oid);
      const commits = await readCommits(repo, ids, signal);
      const body = groups.flatMap(({ lines }, index) => {
        const commit = commits[index];
        return commit ? [{ commit: presentBlamed(commit), lines }] : [];
      });
      return new Answer(200, body, headers);
    },
  });
}

function rangeProblems({ range }: Record<string, unknown>): string[] {
  if (!isHash(range)) return [];
  const backwards = Number(range['start']) > Number(range['end']);
  return backwards ? ['range[start] must be less than or equal to range[end]'] : [];
}

function presentBlamed(commit: Commit) {
  return {
    id: commit.id,
    parent_ids: commit.parents,
    message: commit.message,
    authored_date: commitDate(commit.author),
    author_name: commit.author.name,
    author_email: commit.author.email,
    committed_date: commitDate(commit.committer),
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
  };
}
