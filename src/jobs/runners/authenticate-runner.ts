import type { Core } from '../../core/core.ts';
import { tokenHash } from '../../core/tokens/secret.ts';
import { ApiError } from '../../platform/errors.ts';
import { runnerByTokenFinder } from './store.ts';
import type { RunnerRow } from './tables.ts';

/** Gives the runner that a token is of; throws 403. */
export type AuthenticateRunner = (token: string) => Promise<RunnerRow>;

export function runnerAuthenticator({ db }: Pick<Core, 'db'>): AuthenticateRunner {
  const find = runnerByTokenFinder(db);
  return async (token) => {
    const [runner] = await find({ hash: tokenHash(token) });
    if (!runner) throw new ApiError('forbidden');
    return runner;
  };
}
