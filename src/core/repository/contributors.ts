import type { Repository } from '../../git/repository.ts';
import { pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import { findCommit, projectPath } from './reading.ts';

const Contributor = Type.Object(
  {
    name: Type.String(),
    email: Type.String(),
    commits: Type.Integer(),
    additions: Type.Integer(),
    deletions: Type.Integer(),
  },
  { $id: 'Contributor' },
);

interface Count {
  name: string;
  email: string;
  commits: number;
}

/** `GET /projects/:id/repository/contributors` */
export function contributorsRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/contributors', {
    summary: 'Who has written how many commits',
    params: params({
      ...projectPath,
      ref: optional(
        param.string({ description: 'Branch, tag or commit; the default branch when left out.' }),
      ),
      order_by: withDefault(param.oneOf(['email', 'name', 'commits']), 'commits'),
      sort: withDefault(param.oneOf(['asc', 'desc']), 'asc'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(Contributor) },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async (call) => {
      const { guarded, params, signal } = call;
      const repo = core.repositoryOf(guarded.project);
      const commit = await findCommit(repo, params.ref || guarded.project.default_branch || 'HEAD', signal);
      const counts = commit ? await countAuthors(repo, commit.id, signal) : [];
      const { order_by: key, sort } = params;
      counts.sort((a, b) => compareBy(key, a, b) || compareBy('name', a, b));
      if (sort === 'desc') counts.reverse();
      // GitLab itself has answered 0 for both since it stopped counting lines here.
      return sliceAnswer(call, pageOf(params), counts, (count) => ({
        ...count,
        additions: 0,
        deletions: 0,
      }));
    },
  });
}

function compareBy(key: keyof Count, a: Count, b: Count): number {
  if (a[key] === b[key]) return 0;
  return a[key] < b[key] ? -1 : 1;
}

/** Counting walks all of history: kept by the commit that it began at. */
async function countAuthors(repo: Repository, oid: string, signal: AbortSignal): Promise<Count[]> {
  const { facts } = repo.git.caches;
  const key = `authors ${oid}`;
  let text = facts.get(repo, key);
  if (text === undefined) {
    const output = await repo.run(['shortlog', '--summary', '--email', '--no-merges', oid, '--'], { signal });
    text = output.toString('utf8');
    facts.set(repo, key, text);
  }
  return text.split('\n').flatMap((line) => parseCount(line) ?? []);
}

/** `   12\tAnn Author <ann@example.com>` */
function parseCount(line: string): Count | null {
  const match = /^\s*(\d+)\t(.*) <(.*)>$/.exec(line);
  return match && { commits: Number(match[1]), name: match[2] ?? '', email: match[3] ?? '' };
}
