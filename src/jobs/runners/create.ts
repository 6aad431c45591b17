import type { Core } from '../../core/core.ts';
import { newToken, shortToken, type TokenKind, tokenHash } from '../../core/tokens/secret.ts';
import { ForeignKeyViolation } from '../../platform/db/errors.ts';
import { fail } from '../../platform/errors.ts';
import { checkRunner, columnsOf, type RunnerFields } from './fields.ts';
import { insertRunner, insertRunnerProject, updateRunner } from './store.ts';
import type { RunnerRow } from './tables.ts';

/** For whom a runner works. */
export type RunnerPlace =
  | { type: 'instance_type' }
  | { type: 'group_type'; groupId: number }
  | { type: 'project_type'; projectId: number };

/** A runner as it is stored, and its token, which nobody can read again. */
export interface IssuedRunner {
  runner: RunnerRow;
  token: string;
}

type Deps = Pick<Core, 'database' | 'clock'>;

/** Throws 400 for fields that will not do, 404 where the place is gone meanwhile. */
export async function createRunner(
  { database, clock }: Deps,
  place: RunnerPlace,
  { creatorId, ...fields }: RunnerFields & { creatorId: number | null },
): Promise<IssuedRunner> {
  const columns = { run_untagged: 1, tags: '[]', ...columnsOf(fields) };
  checkRunner(columns);
  const kind: TokenKind = creatorId === null ? 'registeredRunner' : 'runner';
  const token = newToken(kind);
  const now = clock.now();
  const values = {
    ...columns,
    runner_type: place.type,
    registration: creatorId === null ? ('registration_token' as const) : ('authenticated_user' as const),
    namespace_id: place.type === 'group_type' ? place.groupId : null,
    creator_id: creatorId,
    token_hash: tokenHash(token),
    short_token: shortToken(kind, token),
    created_at: now,
    updated_at: now,
  };
  try {
    const runner = await database.transaction(async (tx) => {
      const row = await insertRunner(tx, values);
      if (place.type === 'project_type') await insertRunnerProject(tx, row.id, place.projectId);
      return row;
    });
    return { runner, token };
  } catch (error) {
    if (error instanceof ForeignKeyViolation) throw fail.notFound();
    throw error;
  }
}

/** The old token is good no more. Throws 404 where the runner is gone. */
export async function resetRunnerToken({ database, clock }: Deps, runner: RunnerRow): Promise<string> {
  const kind: TokenKind = runner.registration === 'registration_token' ? 'registeredRunner' : 'runner';
  const token = newToken(kind);
  const changes = { token_hash: tokenHash(token), short_token: shortToken(kind, token) };
  const changed = await database.transaction((tx) =>
    updateRunner(tx, runner.id, { ...changes, updated_at: clock.now() }),
  );
  if (!changed) throw fail.notFound('Runner');
  return token;
}
