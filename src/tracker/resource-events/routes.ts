import type { Core, CoreApi } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { param, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { findByIid as findIssue } from '../issues/find.ts';
import { findByIid as findMergeRequest } from '../merge-requests/find.ts';
import { LabelEvent, MilestoneEvent, presentResourceEvents, StateEvent } from './entities.ts';
import { countResourceEvents, findResourceEvent, type History, listResourceEvents } from './store.ts';

interface Kind {
  kind: History['kind'];
  shape: typeof LabelEvent | typeof MilestoneEvent | typeof StateEvent;
}

const KINDS: Kind[] = [
  { kind: 'label', shape: LabelEvent },
  { kind: 'milestone', shape: MilestoneEvent },
  { kind: 'state', shape: StateEvent },
];

/** What has a history, and how it is found. */
interface Resource {
  type: History['type'];
  /** The part of the address, and the parameter in it. */
  name: 'issues' | 'merge_requests';
  iid: 'issue_iid' | 'merge_request_iid';
  ability: 'read_issue' | 'read_merge_request';
  find: (guarded: InProject, iid: number) => Promise<{ id: number }>;
}

/** The history of labels, milestones and states of issues and merge requests. */
export function resourceEventRoutes(api: CoreApi, core: Core): void {
  const resources: Resource[] = [
    {
      type: 'Issue',
      name: 'issues',
      iid: 'issue_iid',
      ability: 'read_issue',
      find: (guarded, iid) => findIssue(core, guarded, iid),
    },
    {
      type: 'MergeRequest',
      name: 'merge_requests',
      iid: 'merge_request_iid',
      ability: 'read_merge_request',
      find: async ({ project }, iid) => (await findMergeRequest(core, project.id, iid)).row,
    },
  ];
  for (const resource of resources)
    for (const { kind, shape } of KINDS) historyRoutes(api, core, { resource, kind, shape });
}

function historyRoutes(
  api: CoreApi,
  core: Core,
  { resource, kind, shape }: Kind & { resource: Resource },
): void {
  const room = api.room('resource_events');
  const { type, name, iid, ability, find } = resource;
  const path = `/projects/:id/${name}/:${iid}/resource_${kind}_events`;
  const guard = core.guards.project(ability);
  const pathParams = { id: param.string(), [iid]: param.integer() };
  const historyOf = async (guarded: InProject, asked: Record<string, unknown>): Promise<History> => {
    const { id } = await find(guarded, asked[iid] as number);
    return { kind, type, id };
  };
  const present = (rows: Parameters<typeof presentResourceEvents>[1]) =>
    presentResourceEvents(core.db, rows, { baseUrl: core.baseUrl(), today: core.access.today() });

  room.get(path, {
    summary: `List the ${kind} events`,
    params: params({ ...pathParams, ...pageParams }),
    responses: { 200: Type.Array(shape) },
    guard,
    handler: async (call) => {
      const page = pageOf(call.params);
      const history = await historyOf(call.guarded, call.params);
      const total = await countResourceEvents(core.db, history);
      const slice = { limit: page.perPage, offset: page.offset };
      return pageAnswer(call, page, await present(await listResourceEvents(core.db, history, slice)), {
        total,
      });
    },
  });

  room.get(`${path}/:event_id`, {
    summary: `Read a ${kind} event`,
    params: params({ ...pathParams, event_id: param.integer() }),
    responses: { 200: shape },
    guard,
    handler: async ({ guarded, params: asked }) => {
      const event = await findResourceEvent(core.db, await historyOf(guarded, asked), asked.event_id);
      if (!event) throw fail.notFound();
      return (await present([event]))[0];
    },
  });
}
