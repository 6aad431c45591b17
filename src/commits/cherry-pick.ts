import type { Core, Room } from '../core/core.ts';
import { CommitBasic, presentCommit } from '../core/repository/commit-entity.ts';
import { listCommits } from '../git/log.ts';
import { cherryPickTree } from '../git/merge.ts';
import { commitTitle } from '../git/message.ts';
import { Answer } from '../platform/http/answer.ts';
import { optional, param, params } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';
import { type Change, ontoBranchParams, putOntoBranch, type Source } from './onto-branch.ts';

export const DryRun = Type.Object({ dry_run: Type.Literal('success') }, { $id: 'DryRun' });

/** `POST /projects/:id/repository/commits/:sha/cherry_pick` */
export function cherryPickRoute(room: Room, core: Core): void {
  room.post('/projects/:id/repository/commits/:sha/cherry_pick', {
    summary: 'Apply the change of a commit to a branch',
    description: 'A merge is taken relative to its first parent. The author stays who he was.',
    params: params({
      ...ontoBranchParams,
      message: optional(param.string({ description: 'Instead of the usual message.' })),
    }),
    responses: { 200: DryRun, 201: CommitBasic },
    guard: core.guards.repository(),
    async handler(call) {
      const made = await putOntoBranch(core, call, cherryPick(call.params.message ?? null));
      if (made === null) return new Answer(200, { dry_run: 'success' });
      return presentCommit(made, { project: call.guarded.project, baseUrl: call.baseUrl });
    },
  });
}

const cherryPick = (message: string | null): Change => ({
  verb: 'cherry-pick',
  apply: ({ repo, commit }, tip, signal) => cherryPickTree(repo, commit.id, tip, signal),
  author: ({ commit }) => commit.author,
  message: async (source) => message || usualMessage(source),
});

/**
 * The words of `git cherry-pick -x`, which clients look for. They come after the message as it is, with the line break it may
 * end in, because a client compares with `message` as it got it.
 */
async function usualMessage(source: Source): Promise<string> {
  const { message, id } = source.commit;
  const text = `${message}\n\n(cherry picked from commit ${id})`;
  const merged = source.mergeRequest ? await mergedCommits(source) : [];
  return merged.length === 0 ? text : `${text}\n\n${merged.join('\n')}`;
}

const MAX_LISTED = 100;

/** A line for each commit that the merge brought in, oldest first. */
async function mergedCommits({ repo, commit }: Source): Promise<string[]> {
  const [first, second] = commit.parents;
  if (first === undefined || second === undefined) return [];
  const commits = await listCommits(repo, { from: `${first}..${second}`, limit: MAX_LISTED });
  return commits.reverse().map(({ id, message }) => `${id.slice(0, 8)} ${commitTitle(message)}`);
}
