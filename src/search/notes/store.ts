import { type Expression, type SqlBool, sql } from 'kysely';
import { Level } from '../../core/access/levels.ts';
import type { Viewer } from '../../core/access/store.ts';
import type { InProject } from '../../core/guards.ts';
import type { Database } from '../../platform/db/database.ts';
import { openOrOwnIssues } from '../../tracker/issues/visible-store.ts';
import { openInProject } from '../../tracker/snippets/visible-store.ts';
import type { NoteRow } from '../../tracker/tables.ts';
import { rowWalk } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';
import '../../tracker/issues/tables.ts';
import '../../tracker/snippets/tables.ts';

interface Asked {
  place: InProject;
  viewer: Viewer;
  query: TextQuery;
}

export function noteWalk(database: Pick<Database, 'db' | 'dialect'>, asked: Asked): Walk<NoteRow> {
  const here = sql<SqlBool>`notes.project_id = ${asked.place.project.id}`;
  return rowWalk(
    database,
    {
      table: 'notes',
      area: { first: here, beside: sql<SqlBool>`+notes.project_id = ${asked.place.project.id}` },
      conditions: [sql<SqlBool>`notes.system = 0`, readableNotes(asked)],
      by: 'updated_at',
      direction: 'desc',
      query: asked.query,
    },
    ({ body }) => [body],
  );
}

/** Notes on what the viewer may read; internal ones are for those who work on the project. */
function readableNotes({ place: { access }, viewer }: Omit<Asked, 'query'>): Expression<SqlBool> {
  const on = (type: string) => sql`notes.noteable_type = ${type}`;
  const kinds = [
    ...(access.can('read_merge_request') ? [on('MergeRequest')] : []),
    ...(access.can('read_code') ? [on('Commit')] : []),
    ...(access.can('read_issue') ? [sql`(${on('Issue')} and ${issueIsOpen(viewer, access.level)})`] : []),
    ...(access.can('read_snippet') ? [sql`(${on('Snippet')} and ${snippetIsOpen(viewer)})`] : []),
  ];
  if (kinds.length === 0) return sql<SqlBool>`1 = 0`;
  const internal = access.level >= Level.planner ? sql`1 = 1` : sql`notes.internal = 0`;
  return sql<SqlBool>`((${sql.join(kinds, sql` or `)}) and ${internal})`;
}

const issueIsOpen = (viewer: Viewer, level: number) =>
  level >= Level.planner
    ? sql`1 = 1`
    : sql`exists (select 1 from issues where issues.id = notes.noteable_id and ${openOrOwnIssues(viewer.userId)})`;

/** A snippet is asked of together with its project, whose members its condition looks for. */
const snippetIsOpen = (viewer: Viewer) => sql`exists (select 1 from snippets
  join projects on projects.id = snippets.project_id join namespaces on namespaces.id = projects.namespace_id
  where snippets.id = notes.noteable_id and ${openInProject(viewer)})`;
