import { ApiError, fail } from '../../platform/errors.ts';
import type { Caller } from '../caller.ts';
import type { User } from '../tables.ts';

export type UserAction = 'block' | 'unblock' | 'deactivate' | 'activate' | 'ban' | 'unban';

/** Days without a call before somebody may be deactivated: GitLab's least. */
const DORMANT_DAYS = 90;

/**
 * What an administrator's action makes of a user's state: the new state, or null where it is that already. Throws 403 in
 * GitLab's words where the action does not fit. `today` as `YYYY-MM-DD`.
 */
export function stateAfter(action: UserAction, user: User, caller: Caller, today: string): string | null {
  switch (action) {
    case 'block':
      if (user.id === caller.user.id) {
        throw fail.forbidden('The API initiating user cannot be blocked by the API');
      }
      return user.state === 'blocked' ? null : 'blocked';
    case 'unblock':
      if (user.state === 'deactivated')
        throw fail.forbidden('Deactivated users cannot be unblocked by the API');
      if (user.state === 'banned') throw fail.forbidden('Banned users cannot be unblocked by the API');
      return user.state === 'active' ? null : 'active';
    case 'deactivate':
      return deactivated(user, today);
    case 'activate':
      if (isBlocked(user)) throw fail.forbidden('A blocked user must be unblocked to be activated');
      return user.state === 'active' ? null : 'active';
    case 'ban':
      if (user.id === caller.user.id) throw bare('You cannot ban yourself.');
      if (user.state !== 'active') throw bare(`You cannot ban ${user.state} users.`);
      return 'banned';
    case 'unban':
      if (user.state !== 'banned') throw bare(`You cannot unban ${user.state} users.`);
      return 'active';
  }
}

const isBlocked = ({ state }: User) => state === 'blocked' || state === 'banned';

function deactivated(user: User, today: string): string | null {
  if (user.state === 'deactivated') return null;
  if (isBlocked(user)) throw fail.forbidden('A blocked user cannot be deactivated by the API');
  if (!isDormant(user, today)) {
    throw fail.forbidden(
      `The user you are trying to deactivate has been active in the past ${DORMANT_DAYS} days and cannot be deactivated`,
    );
  }
  return 'deactivated';
}

/** Somebody who never made a call was never active. */
function isDormant({ last_activity_on: last }: User, today: string): boolean {
  if (last === null) return true;
  return Date.parse(today) - Date.parse(last) >= DORMANT_DAYS * 24 * 3600 * 1000;
}

/** GitLab's newer services answer 403 without the usual beginning of the text. */
const bare = (text: string) => new ApiError('forbidden_text', { text });
