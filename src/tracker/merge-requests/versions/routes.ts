import type { Core, Room } from '../../../core/core.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { CommitBasic, presentCommit } from '../../../core/repository/commit-entity.ts';
import { DiffEntity, presentDiff } from '../../../core/repository/diff-entity.ts';
import { type Diff, diffTrees, patchOf } from '../../../git/diff.ts';
import { readCommits } from '../../../git/objects.ts';
import { patchId } from '../../../git/patch-id.ts';
import type { Repository } from '../../../git/repository.ts';
import { fail } from '../../../platform/errors.ts';
import { Answer, Bytes } from '../../../platform/http/answer.ts';
import { pageAnswer, pageOf, pageParams, sliceAnswer } from '../../../platform/http/pagination.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import type { MergeRequestRow, MergeRequestVersionRow } from '../../tables.ts';
import { presentDetail } from '../detail.ts';
import { MergeRequestChanges } from '../entities.ts';
import { findByIid, mergeRequestPath } from '../find.ts';
import type { FindHeadPipeline } from '../ports.ts';
import { countCommitIds, listCommitIds } from './commits-store.ts';
import { DiffVersion, DiffVersionFull, presentVersion } from './entity.ts';
import { countVersions, findVersion, listVersions } from './store.ts';
import { commitsBetween } from './version.ts';

const unidiff = optional(param.boolean({ description: 'Begins each diff with `---` and `+++`.' }));

/** What a merge request offers: its commits, its diff, and how both came about. */
export function versionRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  diffRoutes(room, core, findHeadPipeline);
  const guard = core.guards.project('read_merge_request', 'read_code');

  room.get('/projects/:id/merge_requests/:merge_request_iid/commits', {
    summary: 'List the commits of a merge request',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(CommitBasic) },
    guard: core.guards.project('read_merge_request'),
    handler: async (call) => {
      const { project } = call.guarded;
      const { row } = await findByIid(core, project.id, call.params.merge_request_iid);
      const page = pageOf(call.params);
      const total = await countCommitIds(core.db, row.id);
      const ids = await listCommitIds(core.db, row.id, { limit: page.perPage, offset: page.offset });
      return pageAnswer(call, page, await present(core, project, ids, call.signal), { total });
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/versions', {
    summary: 'List the versions of the diff',
    description: 'One for each push to the source branch, newest first.',
    params: params({ ...mergeRequestPath, ...pageParams }),
    responses: { 200: Type.Array(DiffVersion) },
    guard,
    handler: async (call) => {
      const { row } = await findByIid(core, call.guarded.project.id, call.params.merge_request_iid);
      const page = pageOf(call.params);
      const total = await countVersions(core.db, row.id);
      const versions = await listVersions(core.db, row.id, { limit: page.perPage, offset: page.offset });
      const repo = core.repositoryOf(call.guarded.project);
      const body = versions.map(async (version) =>
        presentVersion(version, await idOf(repo, version, call.signal)),
      );
      return pageAnswer(call, page, await Promise.all(body), { total });
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/versions/:version_id', {
    summary: 'Read a version of the diff',
    params: params({ ...mergeRequestPath, version_id: param.integer(), unidiff }),
    responses: { 200: DiffVersionFull },
    guard,
    handler: async ({ guarded: { project }, params: asked, signal }) => {
      const { row } = await findByIid(core, project.id, asked.merge_request_iid);
      const version = await findVersion(core.db, row.id, asked.version_id);
      if (!version) throw fail.recordNotFound();
      const repo = core.repositoryOf(project);
      const { start_sha: start, base_sha: base, head_sha: head } = version;
      const ids = await commitsBetween(repo, start, head, { limit: MAX_VERSION_COMMITS, signal });
      const { files } = await diffTrees(repo, base, head, signal);
      return {
        ...presentVersion(version, await idOf(repo, version, signal)),
        commits: await present(core, project, ids, signal),
        diffs: files.map((file) => presentDiff(file, asked.unidiff === true)),
      };
    },
  });
}

function diffRoutes(room: Room, core: Core, findHeadPipeline: FindHeadPipeline): void {
  const guard = core.guards.project('read_merge_request', 'read_code');

  room.get('/projects/:id/merge_requests/:merge_request_iid/changes', {
    summary: 'Read a merge request with its diff',
    params: params({ ...mergeRequestPath, access_raw_diffs: optional(param.boolean()), unidiff }),
    responses: { 200: MergeRequestChanges },
    guard,
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
    guard,
    handler: async (call) => {
      const { project } = call.guarded;
      const { row } = await findByIid(core, project.id, call.params.merge_request_iid);
      const { files } = await diffOf(core, project, row, call.signal);
      const asked = call.params.unidiff === true;
      return sliceAnswer(call, pageOf(call.params), files, (file) => presentDiff(file, asked));
    },
  });

  room.get('/projects/:id/merge_requests/:merge_request_iid/raw_diffs', {
    summary: 'Download the patch that a merge request is',
    params: params(mergeRequestPath),
    responses: { 200: null },
    guard,
    handler: async ({ guarded: { project }, params: asked, method, signal }) => {
      const { row } = await findByIid(core, project.id, asked.merge_request_iid);
      if (method === 'HEAD' || row.sha === null) return new Answer(200, undefined, PATCH);
      const patch = await patchOf(core.repositoryOf(project), row.base_sha, row.sha, signal);
      return new Answer(200, new Bytes(patch), PATCH);
    },
  });
}

function idOf(repo: Repository, version: MergeRequestVersionRow, signal: AbortSignal) {
  // reading all of a diff that is too large to show takes longer than a list may
  if (version.changes_overflow === 1) return null;
  return patchId(repo, version.base_sha, version.head_sha, signal);
}

// A patch holds what somebody pushed: no browser may take it for a page.
const PATCH = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

const MAX_VERSION_COMMITS = 1000;

async function present(core: Core, project: ProjectWithNamespace, ids: string[], signal: AbortSignal) {
  const commits = await readCommits(core.repositoryOf(project), ids, signal);
  const place = { project, baseUrl: core.baseUrl() };
  return commits.flatMap((commit) => (commit ? [presentCommit(commit, place)] : []));
}

const NOTHING: Diff = { files: [], overflow: false };

function diffOf(core: Core, project: ProjectWithNamespace, row: MergeRequestRow, signal: AbortSignal) {
  if (row.sha === null) return Promise.resolve(NOTHING);
  return diffTrees(core.repositoryOf(project), row.base_sha, row.sha, signal);
}
