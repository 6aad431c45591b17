import { Type } from 'typebox';
import type { Core, CoreApi } from '../../core/core.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { CommitBasic, presentCommit } from '../../core/repository/commit-entity.ts';
import { DiffEntity, presentDiff } from '../../core/repository/diff-entity.ts';
import { type Diff, diffTrees } from '../../git/diff.ts';
import { readCommits } from '../../git/objects.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams, sliceAnswer } from '../../platform/http/pagination.ts';
import { optional, param, params } from '../../platform/http/params.ts';
import type { MergeRequestRow } from '../tables.ts';
import { presentDetail } from './detail.ts';
import { MergeRequest, MergeRequestChanges } from './entities.ts';
import { findByIid, mergeRequestPath } from './find.ts';
import type { FindHeadPipeline } from './ports.ts';
import { countCommitIds, listCommitIds } from './versions/commits-store.ts';
import { DiffVersion, DiffVersionFull, hasVersion, presentVersion, versionId } from './versions/entity.ts';

const unidiff = optional(param.boolean({ description: 'Begins each diff with `---` and `+++`.' }));

/** One merge request, its commits and its diff. */
export function readRoutes(
  room: ReturnType<CoreApi['room']>,
  core: Core,
  findHeadPipeline: FindHeadPipeline,
): void {
  const guard = core.guards.project('read_merge_request');

  room.get('/projects/:id/merge_requests/:merge_request_iid', {
    summary: 'Read a merge request',
    params: params({
      ...mergeRequestPath,
      include_diverged_commits_count: optional(param.boolean()),
      include_rebase_in_progress: optional(param.boolean()),
    }),
    responses: { 200: MergeRequest },
    guard,
    handler: async ({ caller, guarded: { project, access }, params: asked, signal }) => {
      const { row, sides } = await findByIid(core, project.id, asked.merge_request_iid);
      const includeDiverged = asked.include_diverged_commits_count;
      const includeRebase = asked.include_rebase_in_progress;
      const call = { caller, access, sides, findHeadPipeline, signal, includeDiverged, includeRebase };
      return presentDetail(core, row, call);
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/commits', {
    summary: 'List the commits of a merge request',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(CommitBasic) },
    guard,
    handler: async (call) => {
      const { project } = call.guarded;
      const { row } = await findByIid(core, project.id, call.params.merge_request_iid);
      const page = pageOf(call.params);
      const total = await countCommitIds(core.db, row.id);
      const slice = { limit: page.perPage, offset: page.offset };
      return pageAnswer(call, page, await commitsOf(core, project, row, slice, call.signal), { total });
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/changes', {
    summary: 'Read a merge request with its diff',
    params: params({ ...mergeRequestPath, access_raw_diffs: optional(param.boolean()), unidiff }),
    responses: { 200: MergeRequestChanges },
    guard: core.guards.project('read_merge_request', 'read_code'),
    handler: async ({ caller, guarded: { project, access }, params: asked, signal }) => {
      const { row, sides } = await findByIid(core, project.id, asked.merge_request_iid);
      const { files, overflow } = await diffOf(core, project, row, signal);
      const detail = await presentDetail(core, row, { caller, access, sides, findHeadPipeline, signal });
      return { ...detail, changes: files.map((file) => presentDiff(file, asked.unidiff === true)), overflow };
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/diffs', {
    summary: 'List the files that a merge request changes',
    params: params({ ...mergeRequestPath, unidiff, ...pageParams }),
    responses: { 200: Type.Array(DiffEntity) },
    guard: core.guards.project('read_merge_request', 'read_code'),
    handler: async (call) => {
      const { project } = call.guarded;
      const { row } = await findByIid(core, project.id, call.params.merge_request_iid);
      const { files } = await diffOf(core, project, row, call.signal);
      const asked = call.params.unidiff === true;
      return sliceAnswer(call, pageOf(call.params), files, (file) => presentDiff(file, asked));
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/versions', {
    summary: 'List the versions of the diff',
    description: 'The present one; earlier ones are not kept.',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(DiffVersion) },
    guard: core.guards.project('read_merge_request', 'read_code'),
    handler: async (call) => {
      const { row } = await findByIid(core, call.guarded.project.id, call.params.merge_request_iid);
      return sliceAnswer(call, pageOf(call.params), hasVersion(row) ? [row] : [], presentVersion);
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/versions/:version_id', {
    summary: 'Read a version of the diff',
    params: params({ ...mergeRequestPath, version_id: param.integer(), unidiff }),
    responses: { 200: DiffVersionFull },
    guard: core.guards.project('read_merge_request', 'read_code'),
    handler: async ({ guarded: { project }, params: asked, signal }) => {
      const { row } = await findByIid(core, project.id, asked.merge_request_iid);
      if (!hasVersion(row) || versionId(row) !== asked.version_id) throw fail.recordNotFound();
      const { files } = await diffOf(core, project, row, signal);
      return {
        ...presentVersion(row),
        commits: await commitsOf(core, project, row, { limit: MAX_VERSION_COMMITS, offset: 0 }, signal),
        diffs: files.map((file) => presentDiff(file, asked.unidiff === true)),
      };
    },
  });
}

const MAX_VERSION_COMMITS = 1000;

async function commitsOf(
  core: Core,
  project: ProjectWithNamespace,
  row: MergeRequestRow,
  slice: { limit: number; offset: number },
  signal: AbortSignal,
) {
  const ids = await listCommitIds(core.db, row.id, slice);
  const commits = await readCommits(core.repositoryOf(project), ids, signal);
  const place = { project, baseUrl: core.baseUrl() };
  return commits.flatMap((commit) => (commit ? [presentCommit(commit, place)] : []));
}

const NOTHING: Diff = { files: [], overflow: false };

function diffOf(core: Core, project: ProjectWithNamespace, row: MergeRequestRow, signal: AbortSignal) {
  if (row.sha === null) return Promise.resolve(NOTHING);
  return diffTrees(core.repositoryOf(project), row.base_sha, row.sha, signal);
}
