import { type Expression, type SqlBool, sql } from 'kysely';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectRows } from '../../core/projects/store.ts';
import type { Database } from '../../platform/db/database.ts';
import { same } from '../area-store.ts';
import { idsOf, narrows, type Path } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

export function projectWalk(
  database: Pick<Database, 'db' | 'dialect'>,
  { query, within }: { query: TextQuery; within: Expression<SqlBool> },
): Walk<ProjectWithNamespace> {
  const joins = sql`join namespaces on namespaces.id = projects.namespace_id`;
  const path: Path = { table: 'projects', joins, area: same(within), by: 'id', direction: 'desc', query };
  return {
    read: (step) =>
      projectRows(database.db)
        .where('projects.id', 'in', idsOf(path, database, step))
        .orderBy('projects.id', 'desc')
        .execute(),
    narrows: () => narrows(path, database),
    textsOf: (row) => [row.full_path, row.name_with_namespace, row.description],
    positionOf: ({ id }) => ({ value: id, id }),
  };
}
