import type { Core, CoreApi } from '../../core/core.ts';
import { isoTime } from '../../core/entities.ts';
import { nullable, params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { SearchStatus } from '../code/status.ts';

const RunningEntity = Type.Object({
  project_id: Type.Integer(),
  wiki: Type.Boolean(),
  what: Type.Union([Type.Literal('commits'), Type.Literal('files')]),
  done: Type.Integer({ description: 'Commits, then blobs, that have been read.' }),
  total: Type.Integer({ description: 'To be read: what the index did not hold before.' }),
  seconds: Type.Number(),
  seconds_left: nullable(Type.Integer()),
});

const FailingEntity = Type.Object({
  project_id: Type.Integer(),
  wiki: Type.Boolean(),
  attempts: Type.Integer(),
  error: Type.String(),
  next_attempt_at: timestamp(),
});

const SearchStatusEntity = Type.Object(
  {
    state: Type.Union([Type.Literal('idle'), Type.Literal('indexing')]),
    enabled: Type.Boolean(),
    indexed_blobs: Type.Integer({ description: 'Distinct ones, however many projects hold them.' }),
    indexed_projects: Type.Integer(),
    pending_projects: Type.Integer(),
    bytes: Type.Integer({ description: 'On disk.' }),
    segments: Type.Integer(),
    running: Type.Array(RunningEntity),
    failing: Type.Array(FailingEntity),
  },
  { $id: 'SearchStatus' },
);

/** How the code index of this node is; GitLab has no route for it. */
export function searchAdminRoutes(api: CoreApi, core: Core, status: () => SearchStatus): void {
  api.room('admin').get('/admin/search/status', {
    summary: 'State of the code index',
    params: params({}),
    responses: { 200: SearchStatusEntity },
    guard: core.guards.admin,
    handler: () => {
      const { failing, ...rest } = status();
      return {
        ...rest,
        failing: failing.map(({ next_attempt_at: at, ...entry }) => ({
          ...entry,
          next_attempt_at: isoTime(at),
        })),
      };
    },
  });
}
