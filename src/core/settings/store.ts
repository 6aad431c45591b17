import type { Queryable, Tx } from '../../platform/db/tables.ts';

/** Stored values by name, as JSON texts. */
export async function readSettings(db: Queryable): Promise<Map<string, string>> {
  const rows = await db.selectFrom('application_settings').select(['name', 'value']).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** When anything was last set; null when nothing ever was. */
export async function settingsChangedAt(db: Queryable): Promise<number | null> {
  const row = await db
    .selectFrom('application_settings')
    .select((eb) => eb.fn.max('updated_at').as('changed_at'))
    .executeTakeFirst();
  return row?.changed_at ?? null;
}

export async function writeSettings(tx: Tx, values: Map<string, string>, now: number): Promise<void> {
  for (const [name, value] of values) {
    await tx
      .insertInto('application_settings')
      .values({ name, value, updated_at: now })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, updated_at: now }))
      .execute();
  }
}
