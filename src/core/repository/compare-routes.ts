import { mergeBase } from '../../git/ancestry.ts';
import { borrowCommit } from '../../git/borrow.ts';
import { diffTrees } from '../../git/diff.ts';
import { listCommits } from '../../git/log.ts';
import { readCommit } from '../../git/objects.ts';
import type { Repository } from '../../git/repository.ts';
import { fail } from '../../platform/errors.ts';
import { nullable, optional, param, params, withDefault } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Caller } from '../caller.ts';
import type { Core, Room } from '../core.ts';
import type { InProject } from '../guards.ts';
import { CommitBasic, presentCommit } from './commit-entity.ts';
import { DiffEntity, presentDiff } from './diff-entity.ts';
import { findCommit, projectPath } from './reading.ts';
import { findStartProject } from './start-project.ts';

const Comparison = Type.Object(
  {
    commit: nullable(CommitBasic),
    commits: Type.Array(CommitBasic),
    diffs: Type.Array(DiffEntity),
    compare_timeout: Type.Boolean(),
    compare_same_ref: Type.Boolean(),
    web_url: Type.String(),
  },
  { $id: 'Comparison' },
);

/** The answer has no pages: this is some 1 MB of JSON. */
const MAX_COMMITS = 1000;

interface Question {
  from: string;
  to: string;
  straight: boolean;
  unidiff: boolean;
  from_project_id?: number | null | undefined;
}

/** `/projects/:id/repository/compare` and `/merge_base` */
export function compareRoutes(room: Room, core: Core): void {
  room.get('/projects/:id/repository/compare', {
    summary: 'What lies between two commits',
    description: `At most ${MAX_COMMITS} commits, the newest ones, oldest first.`,
    params: params({
      ...projectPath,
      from: param.string({ description: 'Branch, tag or commit.' }),
      to: param.string({ description: 'Branch, tag or commit.' }),
      from_project_id: optional(param.integer({ description: 'Where `from` is looked up: a relative.' })),
      straight: withDefault(
        param.boolean({ description: 'From one to the other rather than from their common ancestor.' }),
        false,
      ),
      unidiff: withDefault(param.boolean(), false),
    }),
    responses: { 200: Comparison },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: ({ caller, guarded, params, signal }) =>
      compare(core, { caller, guarded, question: params, signal }),
  });

  room.get('/projects/:id/repository/merge_base', {
    summary: 'The best common ancestor',
    params: params({
      ...projectPath,
      refs: param.list(param.string(), { description: 'Two or more branches, tags or commits.' }),
    }),
    responses: { 200: CommitBasic },
    scopes: ['read_repository'],
    guard: core.guards.repository(),
    handler: async ({ guarded, params, signal }) => {
      const repo = core.repositoryOf(guarded.project);
      if (params.refs.length < 2) throw fail.refused('Provide at least 2 refs');
      const oids: string[] = [];
      for (const ref of params.refs.slice(0, MAX_REFS)) {
        const commit = await findCommit(repo, ref, signal);
        if (!commit) throw fail.refused(`Could not find ref: ${ref}`);
        oids.push(commit.id);
      }
      const base = await mergeBase(repo, oids, signal);
      const commit = base && (await readCommit(repo, base, signal));
      if (!commit) throw fail.notFound('Merge Base');
      return presentCommit(commit, { project: guarded.project, baseUrl: core.baseUrl() });
    },
  });
}

/** Nobody asks for the ancestor of more; a command line has an end. */
const MAX_REFS = 100;

interface CompareCall {
  caller: Caller;
  guarded: InProject;
  question: Question;
  signal: AbortSignal;
}

async function compare(core: Core, call: CompareCall): Promise<Static<typeof Comparison>> {
  const { question, signal } = call;
  const { project } = call.guarded;
  const repo = core.repositoryOf(project);
  const [from, to] = await endsOf(core, repo, call);
  const start = question.straight ? from : await mergeBase(repo, [from, to], signal);
  const [commits, { files }] = await Promise.all([
    listCommits(repo, { from: `${from}..${to}`, limit: MAX_COMMITS, signal }),
    // Without a common ancestor there is nothing that both had: GitLab shows no changes then.
    start === null ? { files: [] } : diffTrees(repo, start, to, signal),
  ]);
  const place = { project, baseUrl: core.baseUrl() };
  const shown = commits.map((commit) => presentCommit(commit, place)).reverse();
  const range = `${question.from}${question.straight ? '..' : '...'}${question.to}`;
  return {
    commit: shown.at(-1) ?? null,
    commits: shown,
    diffs: files.map((file) => presentDiff(file, question.unidiff)),
    compare_timeout: false,
    compare_same_ref: from === to,
    web_url: `${place.baseUrl}/${project.full_path}/-/compare/${encodeURI(range)}`,
  };
}

/** Ids of both, found in this repository or brought here from a relative. */
async function endsOf(core: Core, repo: Repository, call: CompareCall): Promise<[string, string]> {
  const { caller, guarded, question, signal } = call;
  const reference = question.from_project_id;
  const other = reference
    ? await findStartProject(core, { caller, project: guarded.project, reference: String(reference) })
    : guarded.project;
  const source = core.repositoryOf(other);
  const from = await findCommit(source, question.from, signal);
  const to = await findCommit(repo, question.to, signal);
  if (!from || !to) throw fail.notFound('Ref');
  if (other.id !== guarded.project.id) await borrowCommit(repo, source, from.id, signal);
  return [from.id, to.id];
}
