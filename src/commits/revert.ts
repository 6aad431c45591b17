import type { Core, Room } from '../core/core.ts';
import { CommitBasic, presentCommit } from '../core/repository/commit-entity.ts';
import { revertTree } from '../git/merge.ts';
import { commitTitle } from '../git/message.ts';
import { Answer } from '../platform/http/answer.ts';
import { params } from '../platform/http/params.ts';
import { DryRun } from './cherry-pick.ts';
import { type Change, ontoBranchParams, putOntoBranch, type Source } from './onto-branch.ts';

/** `POST /projects/:id/repository/commits/:sha/revert` */
export function revertRoute(room: Room, core: Core): void {
  room.post('/projects/:id/repository/commits/:sha/revert', {
    summary: 'Take the change of a commit back on a branch',
    params: params(ontoBranchParams),
    responses: { 200: DryRun, 201: CommitBasic },
    guard: core.guards.repository(),
    async handler(call) {
      const made = await putOntoBranch(core, call, revert);
      if (made === null) return new Answer(200, { dry_run: 'success' });
      return presentCommit(made, { project: call.guarded.project, baseUrl: call.baseUrl });
    },
  });
}

const revert: Change = {
  verb: 'revert',
  apply: ({ repo, commit }, tip, signal) => revertTree(repo, commit.id, tip, signal),
  author: (_source, committer) => committer,
  message: async (source) => revertMessage(source),
};

export function revertMessage({ commit, mergeRequest }: Pick<Source, 'commit' | 'mergeRequest'>): string {
  const what = mergeRequest ? `merge request !${mergeRequest.iid}` : `commit ${commit.id}`;
  return `Revert "${shortTitle(commitTitle(commit.message))}"\n\nThis reverts ${what}`;
}

const LONG = 100;
const SHORT = 81;

/** A title of 100 characters or more is cut at a word so that it has 81 at most with the dots, as GitLab does. */
function shortTitle(title: string): string {
  const letters = [...title];
  if (letters.length < LONG) return title;
  const cut = letters.slice(0, SHORT - 3).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > 0 ? cut.slice(0, space) : cut}...`;
}
