import type { Core } from '../../core/core.ts';
import { newToken } from '../../core/tokens/secret.ts';
import type { RunnerPlace } from './create.ts';
import {
  findPlaceOfToken,
  findRegistrationToken,
  keepRegistrationToken,
  replaceRegistrationToken,
} from './registration-tokens-store.ts';
import type { RegistrationTokensTable } from './tables.ts';

type Deps = Pick<Core, 'database' | 'db'>;

/** The token by which runners are registered there; made when it is first asked for. */
export async function registrationToken({ database, db }: Deps, place: RunnerPlace): Promise<string> {
  const row = rowFor(place);
  const known = await findRegistrationToken(db, row.place);
  if (known !== undefined) return known;
  return database.transaction(async (tx) => {
    await keepRegistrationToken(tx, row);
    return (await findRegistrationToken(tx, row.place)) ?? row.token;
  });
}

/** As projects and groups show it: null where nobody registers runners so. */
export async function shownToken(
  core: Deps & Pick<Core, 'settings'>,
  place: { projectId: number } | { groupId: number },
): Promise<string | null> {
  if (!(await core.settings.get('allow_runner_registration_token'))) return null;
  return registrationToken(
    core,
    'projectId' in place ? { type: 'project_type', ...place } : { type: 'group_type', ...place },
  );
}

/** From now on another one; runners that exist keep theirs. */
export async function resetRegistrationToken(
  { database }: Pick<Core, 'database'>,
  place: RunnerPlace,
): Promise<string> {
  const row = rowFor(place);
  await database.transaction((tx) => replaceRegistrationToken(tx, row));
  return row.token;
}

/** Where a runner with this token belongs; null for a token that is none. */
export async function placeOfRegistrationToken(
  { db }: Pick<Core, 'db'>,
  token: string,
): Promise<RunnerPlace | null> {
  const row = await findPlaceOfToken(db, token);
  if (!row) return null;
  if (row.project_id !== null) return { type: 'project_type', projectId: row.project_id };
  if (row.namespace_id !== null) return { type: 'group_type', groupId: row.namespace_id };
  return { type: 'instance_type' };
}

function rowFor(place: RunnerPlace): RegistrationTokensTable {
  const token = newToken('registration');
  switch (place.type) {
    case 'instance_type':
      return { place: 'instance', token, namespace_id: null, project_id: null };
    case 'group_type':
      return { place: `group:${place.groupId}`, token, namespace_id: place.groupId, project_id: null };
    case 'project_type':
      return { place: `project:${place.projectId}`, token, namespace_id: null, project_id: place.projectId };
  }
}
