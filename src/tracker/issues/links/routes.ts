import { Level } from '../../../core/access/levels.ts';
import type { Caller } from '../../../core/caller.ts';
import type { Core, Room } from '../../../core/core.ts';
import { isoTime } from '../../../core/entities.ts';
import type { InProject } from '../../../core/guards.ts';
import { findProject } from '../../../core/projects/find.ts';
import { ApiError, fail } from '../../../platform/errors.ts';
import { param, params, withDefault } from '../../../platform/http/params.ts';
import { Type } from '../../../platform/http/schema.ts';
import { notFoundWhenGone } from '../../gone.ts';
import { IssueBasic } from '../entities.ts';
import { findByIid, issuePath } from '../find.ts';
import { presentIssues } from '../present.ts';
import { mayReadIssue } from '../rights.ts';
import { findIssue } from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { deleteLink, findLink, type IssueLinkRow, insertLink, linksOf, readableAmong } from './store.ts';

const RELATES = 'relates_to';

const LinkedIssue = Type.Object(
  {
    ...IssueBasic.properties,
    issue_link_id: Type.Integer(),
    link_type: Type.String(),
    link_created_at: Type.String({ format: 'date-time' }),
    link_updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'LinkedIssue' },
);

const IssueLink = Type.Object(
  { id: Type.Integer(), source_issue: IssueBasic, target_issue: IssueBasic, link_type: Type.String() },
  { $id: 'IssueLink' },
);

/** Issues that have to do with each other. */
export function issueLinkRoutes(room: Room, core: Core): void {
  const guard = core.guards.project('read_issue');
  const options = () => ({ baseUrl: core.baseUrl(), today: core.access.today(), inProject: false });

  const present = async (link: IssueLinkRow, caller: Caller) => {
    const ids = [link.source_id, link.target_id];
    const readable = await readableAmong(core.db, ids, core.access.viewer(caller));
    const rows = ids.flatMap((id) => readable.get(id) ?? []);
    const [source, target] = await presentIssues(core.db, rows, options());
    if (!source || !target) throw fail.recordNotFound();
    return { id: link.id, source_issue: source, target_issue: target, link_type: RELATES };
  };

  room.get('/projects/:id/issues/:issue_iid/links', {
    summary: 'List the issues that an issue is linked to',
    params: params(issuePath),
    responses: { 200: Type.Array(LinkedIssue) },
    guard,
    handler: async ({ caller, guarded, params: { issue_iid } }) => {
      const issue = await findByIid(core, guarded, issue_iid);
      const links = await linksOf(core.db, issue.id);
      const otherId = (link: IssueLinkRow) => (link.source_id === issue.id ? link.target_id : link.source_id);
      const readable = await readableAmong(core.db, links.map(otherId), core.access.viewer(caller));
      const shown = links.filter((link) => readable.has(otherId(link)));
      const others = await presentIssues(
        core.db,
        shown.map((link) => readable.get(otherId(link))!),
        options(),
      );
      return shown.map((link, index) => ({
        ...others[index]!,
        issue_link_id: link.id,
        link_type: RELATES,
        link_created_at: isoTime(link.created_at),
        link_updated_at: isoTime(link.updated_at),
      }));
    },
  });

  room.post('/projects/:id/issues/:issue_iid/links', {
    summary: 'Link two issues',
    params: params({
      ...issuePath,
      target_project_id: param.string({ description: 'Number or path of the project of the other.' }),
      target_issue_iid: param.integer(),
      link_type: withDefault(param.oneOf([RELATES, 'blocks', 'is_blocked_by']), RELATES),
    }),
    responses: { 201: IssueLink },
    guard,
    handler: async ({ caller, guarded, params: asked }) => {
      const source = await findByIid(core, guarded, asked.issue_iid);
      demandLinking(guarded);
      if (asked.link_type !== RELATES) {
        throw new ApiError('forbidden_text', { text: 'Blocked issues not available for current license' });
      }
      const target = await targetOf(core, caller, asked.target_project_id, asked.target_issue_iid);
      if (target.id === source.id) throw fail.conflict('Issue(s) already assigned');
      const pair = { sourceId: source.id, targetId: target.id, now: core.clock.now() };
      const link = await notFoundWhenGone(core.database.transaction((tx) => insertLink(tx, pair)));
      if (!link) throw fail.conflict('Issue(s) already assigned');
      return present(link, caller);
    },
  });

  const linkPath = { ...issuePath, issue_link_id: param.integer() };
  room.get('/projects/:id/issues/:issue_iid/links/:issue_link_id', {
    summary: 'Read a link between two issues',
    params: params(linkPath),
    responses: { 200: IssueLink },
    guard,
    handler: async ({ caller, guarded, params: asked }) => {
      const issue = await findByIid(core, guarded, asked.issue_iid);
      const link = await findLink(core.db, issue.id, asked.issue_link_id);
      if (!link) throw fail.recordNotFound();
      return present(link, caller);
    },
  });

  room.delete('/projects/:id/issues/:issue_iid/links/:issue_link_id', {
    summary: 'Take away a link between two issues',
    params: params(linkPath),
    responses: { 200: IssueLink },
    guard,
    handler: async ({ caller, guarded, params: asked }) => {
      const issue = await findByIid(core, guarded, asked.issue_iid);
      demandLinking(guarded);
      const link = await findLink(core.db, issue.id, asked.issue_link_id);
      if (!link) throw fail.recordNotFound();
      const shown = await present(link, caller);
      if (!(await core.database.transaction((tx) => deleteLink(tx, link.id)))) throw fail.recordNotFound();
      return shown;
    },
  });
}

/** For members of both projects. */
function demandLinking({ access }: Pick<InProject, 'access'>): void {
  access.demand('create_issue');
  if (access.level < Level.guest) throw fail.forbidden();
}

async function targetOf(core: Core, caller: Caller, reference: string, iid: number): Promise<IssueRow> {
  const found = await findProject(core.db, reference);
  const access = found && (await core.access.project(caller, found.project));
  if (!access?.visible) throw fail.notFound('Project');
  const issue = await findIssue(core.db, found!.project.id, iid);
  if (!issue || !(await mayReadIssue(core.db, access, issue))) throw fail.recordNotFound();
  demandLinking({ access });
  return issue;
}
