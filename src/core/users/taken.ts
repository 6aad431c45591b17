import { UniqueViolation } from '../../platform/db/errors.ts';
import { type ApiError, fail } from '../../platform/errors.ts';

const EMAIL_TAKEN = 'Email has already been taken';
const USERNAME_TAKEN = 'Username has already been taken';

/** By the unique index that refused: a user name can also be the path of a group. */
const TEXTS: Record<string, string> = {
  users_email: EMAIL_TAKEN,
  users_username: USERNAME_TAKEN,
  namespaces_full_path: USERNAME_TAKEN,
};

/** Runs a change of users; a name or an address that somebody has answers 409 in GitLab's words. */
export async function refusingTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw takenError(error) ?? error;
  }
}

function takenError(error: unknown): ApiError | null {
  if (!(error instanceof UniqueViolation)) return null;
  const text = TEXTS[error.constraint ?? ''];
  return text === undefined ? null : fail.conflict(text);
}
