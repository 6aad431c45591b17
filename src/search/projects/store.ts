import type { Expression, SqlBool } from 'kysely';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { projectRows } from '../../core/projects/store.ts';
import type { Database } from '../../platform/db/database.ts';
import { stepThrough } from '../text/step-store.ts';
import type { TextQuery } from '../text/terms.ts';
import type { Walk } from '../text/walk.ts';

export function projectWalk(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  query: TextQuery,
  within: Expression<SqlBool>,
): Walk<ProjectWithNamespace> {
  const rows = projectRows(db).where(within);
  const ordered = { table: 'projects', by: 'id', direction: 'desc' } as const;
  return {
    read: (step) => stepThrough(rows, step, ordered, { dialect, query }).execute(),
    textsOf: (row) => [row.full_path, row.name_with_namespace, row.description],
    positionOf: ({ id }) => ({ value: id, id }),
  };
}
