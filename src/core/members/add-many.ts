import { ApiError } from '../../platform/errors.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Actor } from '../caller.ts';
import type { Core } from '../core.ts';
import { findUsersByIds } from '../users/store.ts';
import { addMember, demandMayGrant, type Membership } from './change.ts';
import type { MemberSource } from './source.ts';

/** What GitLab answers for a list of users: one word for all, or what is wrong by user name. */
export const AddedMany = Type.Object(
  {
    status: Type.Union([Type.Literal('success'), Type.Literal('error')]),
    message: Type.Optional(Type.Union([Type.String(), Type.Record(Type.String(), Type.String())])),
  },
  { $id: 'AddedMembers' },
);

const MAX_AT_ONCE = 100;

/** Adds whom it can; the others are named in the answer. */
export async function addMembers(
  core: Core,
  actor: Actor,
  source: MemberSource,
  ids: string[],
  wanted: Membership,
): Promise<Static<typeof AddedMany>> {
  demandMayGrant(source, wanted.accessLevel);
  const numbers = [...new Set(ids.filter((id) => /^\d{1,15}$/.test(id)).map(Number))];
  if (numbers.length > MAX_AT_ONCE) {
    return { status: 'error', message: `Too many users specified (limit is ${MAX_AT_ONCE})` };
  }
  const users = await findUsersByIds(core.db, numbers);
  if (users.size === 0) return { status: 'error', message: 'No users specified.' };
  const problems: Record<string, string> = {};
  for (const user of users.values()) {
    const problem = await addOne(core, actor, source, user.id, wanted);
    if (problem !== null) problems[user.username] = problem;
  }
  return Object.keys(problems).length > 0 ? { status: 'error', message: problems } : { status: 'success' };
}

async function addOne(
  core: Core,
  actor: Actor,
  source: MemberSource,
  userId: number,
  wanted: Membership,
): Promise<string | null> {
  try {
    await addMember(core, actor, source, userId, wanted);
    return null;
  } catch (error) {
    // One who cannot be added is told of in the answer; whatever else goes wrong ends the call.
    if (error instanceof ApiError && error.status < 500) return error.message;
    throw error;
  }
}
