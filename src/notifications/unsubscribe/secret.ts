import { randomBytes } from 'node:crypto';
import type { Database } from '../../platform/db/database.ts';
import { UnsubscribeLinks } from './links.ts';
import { sharedSecret } from './secret-store.ts';

/** Links signed with the secret of this database, which is made when the first one is needed and read once. */
export function unsubscribeLinks(database: Database): () => Promise<UnsubscribeLinks> {
  let links: Promise<UnsubscribeLinks> | null = null;
  return () => {
    links ??= openLinks(database);
    links.catch(() => {
      // whoever asked gets the error itself; the next one asks the database anew
      links = null;
    });
    return links;
  };
}

async function openLinks(database: Database): Promise<UnsubscribeLinks> {
  return new UnsubscribeLinks(await sharedSecret(database, randomBytes(32).toString('base64url')));
}
