import { fail } from '../../../platform/errors.ts';
import { pageOf, pageParams, sliceAnswer } from '../../../platform/http/pagination.ts';
import { optional, param, params } from '../../../platform/http/params.ts';
import { demandUnmodified } from '../../../platform/http/precondition.ts';
import { Type } from '../../../platform/http/schema.ts';
import type { Core, CoreApi, Room } from '../../core.ts';
import type { UserEmail } from '../../tables.ts';
import { findUser } from '../store.ts';
import { addEmail, confirmableSince } from './change.ts';
import { Email, presentEmail } from './entities.ts';
import { deleteEmail, findEmail, listEmails } from './store.ts';

const SCOPES = ['read_user'] as const;

/** Each asks us to write to an address that may be a stranger's. */
const MAIL_PER_MINUTE = 10;

const email_id = param.integer({ description: 'Id of the address.' });

/** Addresses of a user beside his main one. */
export function emailRoutes(api: CoreApi, core: Core): void {
  const room = api.room('users');
  ownRoutes(room, core);
  adminRoutes(room, core);
}

function ownRoutes(room: Room, core: Core): void {
  room.get('/user/emails', {
    summary: 'One’s own additional addresses',
    description: 'Without the main address, as in GitLab.',
    params: params(pageParams),
    responses: { 200: Type.Array(Email) },
    scopes: SCOPES,
    handler: async (call) =>
      sliceAnswer(call, pageOf(call.params), await emailsOf(core, call.caller.user.id), presentEmail),
  });

  room.get('/user/emails/:email_id', {
    summary: 'One of one’s own additional addresses',
    params: params({ email_id }),
    responses: { 200: Email },
    scopes: SCOPES,
    handler: async ({ caller, params: asked }) =>
      presentEmail(await demandEmail(core, caller.user.id, asked.email_id)),
  });

  room.post('/user/emails', {
    summary: 'Add an address of one’s own',
    description:
      'A mail with a link goes to it. Until somebody follows it, within three days, no mail else does.',
    params: params({ email: param.string() }),
    responses: { 201: Email },
    handler: async ({ caller, params: { email } }) => {
      core.rateLimiter.check(`user_emails:${caller.user.id}`, MAIL_PER_MINUTE);
      return presentEmail(await addEmail(core, caller.user.id, email, { confirmed: false }));
    },
  });

  room.delete('/user/emails/:email_id', {
    summary: 'Remove an additional address of one’s own',
    params: params({ email_id }),
    responses: { 204: null },
    handler: ({ caller, params: asked, headers }) =>
      remove(core, { userId: caller.user.id, id: asked.email_id }, headers),
  });
}

function adminRoutes(room: Room, core: Core): void {
  const id = param.integer({ description: 'Id of the user.' });
  const guard = core.guards.admin;

  room.get('/users/:id/emails', {
    summary: 'Additional addresses of a user (administrators)',
    params: params({ id, ...pageParams }),
    responses: { 200: Type.Array(Email) },
    scopes: SCOPES,
    guard,
    handler: async (call) => {
      await demandUser(core, call.params.id);
      return sliceAnswer(call, pageOf(call.params), await emailsOf(core, call.params.id), presentEmail);
    },
  });

  room.post('/users/:id/emails', {
    summary: 'Add an address for a user (administrators)',
    params: params({
      id,
      email: param.string(),
      skip_confirmation: optional(param.boolean({ description: 'It counts as confirmed; no mail is sent.' })),
    }),
    responses: { 201: Email },
    guard,
    handler: async ({ params: asked }) => {
      await demandUser(core, asked.id);
      const confirmed = asked.skip_confirmation === true;
      return presentEmail(await addEmail(core, asked.id, asked.email, { confirmed }));
    },
  });

  room.delete('/users/:id/emails/:email_id', {
    summary: 'Remove an additional address of a user (administrators)',
    params: params({ id, email_id }),
    responses: { 204: null },
    guard,
    handler: async ({ params: asked, headers }) => {
      await demandUser(core, asked.id);
      await remove(core, { userId: asked.id, id: asked.email_id }, headers);
    },
  });
}

const emailsOf = (core: Core, userId: number): Promise<UserEmail[]> =>
  listEmails(core.db, userId, confirmableSince(core.clock.now()));

async function demandUser(core: Core, id: number): Promise<void> {
  if (!(await findUser(core.db, id))) throw fail.notFound('User');
}

async function demandEmail(core: Core, userId: number, id: number): Promise<UserEmail> {
  const row = await findEmail(core.db, { userId, id }, confirmableSince(core.clock.now()));
  if (!row) throw fail.notFound('Email');
  return row;
}

async function remove(
  core: Core,
  { userId, id }: { userId: number; id: number },
  headers: Parameters<typeof demandUnmodified>[0],
): Promise<void> {
  const row = await demandEmail(core, userId, id);
  demandUnmodified(headers, row.confirmed_at ?? row.created_at);
  await core.database.transaction((tx) => deleteEmail(tx, row.id));
}
