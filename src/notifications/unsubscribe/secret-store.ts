import type { Database } from '../../platform/db/database.ts';

/** The secret that links are signed with: of whoever asks first, `made` becomes it for good. */
export function sharedSecret(database: Database, made: string): Promise<string> {
  return database.transaction(async (tx) => {
    await tx
      .insertInto('mail_secrets')
      .values({ singleton: 1, secret: made })
      .onConflict((conflict) => conflict.column('singleton').doNothing())
      .execute();
    const row = await tx.selectFrom('mail_secrets').select('secret').executeTakeFirstOrThrow();
    return row.secret;
  });
}
