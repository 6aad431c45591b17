import type { Insertable, Selectable } from 'kysely';
import type { Queryable, Tx } from '../../platform/db/tables.ts';
import { wikiOf } from '../projects/wiki.ts';
import type { RefIntentsTable } from '../tables.ts';
import type { RefProject } from './ref-updates.ts';

export type NewRefIntent = Insertable<RefIntentsTable>;
export type RefIntent = Selectable<RefIntentsTable>;

/** How a row names the repository. */
export const intentPlace = ({ id, wiki }: RefProject) => ({ project_id: id, wiki: wiki ? 1 : 0 });

/** Throws UniqueViolation when somebody else is moving one of the refs, ForeignKeyViolation when the project is gone. */
export async function insertIntents(tx: Tx, rows: NewRefIntent[]): Promise<void> {
  await tx.insertInto('ref_intents').values(rows).execute();
}

export async function deleteIntents(
  db: Queryable,
  project: RefProject,
  { owner, refs }: { owner: string; refs: string[] },
): Promise<void> {
  const at = intentPlace(project);
  await db
    .deleteFrom('ref_intents')
    .where('project_id', '=', at.project_id)
    .where('wiki', '=', at.wiki)
    .where('owner', '=', owner)
    .where('ref', 'in', refs)
    .execute();
}

/** False when somebody else has settled it meanwhile. */
export async function deleteIntent(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('ref_intents')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Projects and wikis in which some ref update was begun and not ended. */
export async function placesWithIntents(db: Queryable): Promise<RefProject[]> {
  const rows = await db
    .selectFrom('ref_intents')
    .innerJoin('projects', 'projects.id', 'ref_intents.project_id')
    .select(['projects.id', 'projects.storage_path', 'ref_intents.wiki'])
    .distinct()
    .orderBy('projects.id')
    .orderBy('ref_intents.wiki')
    .execute();
  return rows.map(({ wiki, ...project }) => (wiki === 1 ? wikiOf(project) : project));
}

/** Of one repository, in the order in which they were begun. */
export function intentsOf(
  db: Queryable,
  project: RefProject,
  page: { after: number; limit: number },
): Promise<RefIntent[]> {
  const at = intentPlace(project);
  return db
    .selectFrom('ref_intents')
    .selectAll()
    .where('project_id', '=', at.project_id)
    .where('wiki', '=', at.wiki)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
    .execute();
}

/** `last_activity_at` is for people: written again only when it is older than `before`. */
export async function touchActivity(
  tx: Tx,
  { projectId, now, before }: { projectId: number; now: number; before: number },
): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ last_activity_at: now })
    .where('id', '=', projectId)
    .where('last_activity_at', '<', before)
    .execute();
}

/** As stored now, which an older copy of the row may not know yet. */
export async function readDefaultBranch(db: Queryable, projectId: number): Promise<string | null> {
  const row = await db
    .selectFrom('projects')
    .select('default_branch')
    .where('id', '=', projectId)
    .executeTakeFirst();
  return row?.default_branch ?? null;
}

export async function storeDefaultBranch(tx: Tx, projectId: number, branch: string): Promise<void> {
  await tx.updateTable('projects').set({ default_branch: branch }).where('id', '=', projectId).execute();
}
