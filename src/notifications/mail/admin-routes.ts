import type { Core, CoreApi, Room } from '../../core/core.ts';
import { Accepted, accepted, isoTime, isoTimeOrNull } from '../../core/entities.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, optional, param, params, timestamp } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { findMail, type ListedMail, listMails, queueAgain } from './admin-store.ts';
import { type ComposeDeps, composeMail } from './compose.ts';
import { MAIL_STATES } from './tables.ts';

const listed = {
  id: Type.Integer(),
  state: Type.String({
    description: 'kept (no server is set), queued, sending, sent, failed (refused, or tried for too long).',
  }),
  kind: Type.String({ description: 'The event, or what else it is for.' }),
  reason: nullable(Type.String({ description: 'Why its reader gets it.' })),
  user_id: Type.Integer(),
  to: Type.String(),
  subject: Type.String(),
  project_id: nullable(Type.Integer()),
  attempts: Type.Integer(),
  next_attempt_at: nullable(timestamp({ description: 'Of a mail that is put off.' })),
  answer: nullable(Type.String({ description: 'What the server said last, or why it could not be asked.' })),
  created_at: timestamp(),
  settled_at: nullable(timestamp({ description: 'When it was sent, kept, or given up.' })),
};

const ListedMailEntity = Type.Object(listed, { $id: 'ListedMail' });

const MailEntity = Type.Object(
  {
    ...listed,
    message_id: Type.String(),
    from: Type.String(),
    reply_to: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    text: Type.String(),
    html: Type.String(),
  },
  { $id: 'Mail' },
);

const mail_id = param.integer({ description: 'Id of the mail.' });

export interface AdminMailDeps {
  compose: ComposeDeps;
  /** Null where no server is set. */
  wake: (() => void) | null;
}

/** Mails as they are sent, or would be; GitLab has no route for it. */
export function adminMailRoutes(api: CoreApi, core: Core, deps: AdminMailDeps): void {
  const room = api.room('admin');
  listRoute(room, core);
  readRoute(room, core, deps);
  retryRoute(room, core, deps);
}

function listRoute(room: Room, { guards, db }: Core): void {
  room.get('/admin/mails', {
    summary: 'Mails, the newest first',
    params: params({
      state: optional(param.oneOf(MAIL_STATES)),
      kind: optional(param.string({ description: 'For example `new_note` or `daily_digest`.' })),
      user_id: optional(param.integer({ description: 'Whom it is for.' })),
      created_after: optional(param.dateTime()),
      created_before: optional(param.dateTime()),
      ...pageParams,
    }),
    responses: { 200: Type.Array(ListedMailEntity) },
    guard: guards.admin,
    async handler(call) {
      const { state, kind, user_id: userId, created_after: after, created_before: before } = call.params;
      const page = pageOf(call.params);
      const filter = {
        state: state ?? undefined,
        kind: kind ?? undefined,
        userId: userId ?? undefined,
        createdAfter: after ?? undefined,
        createdBefore: before ?? undefined,
      };
      const mails = await listMails(db, filter, { offset: page.offset, limit: page.perPage + 1 });
      const shown = mails.slice(0, page.perPage).map(presentListed);
      return pageAnswer(call, page, shown, { hasNext: mails.length > page.perPage });
    },
  });
}

function readRoute(room: Room, { guards, db }: Core, { compose }: AdminMailDeps): void {
  room.get('/admin/mails/:mail_id', {
    summary: 'One mail with both its parts and all headers, as it is sent',
    params: params({ mail_id }),
    responses: { 200: MailEntity },
    guard: guards.admin,
    async handler({ params }) {
      const mail = await findMail(db, params.mail_id);
      if (mail === null) throw fail.notFound('Mail');
      const { messageId, from, replyTo, headers, text, html } = await composeMail(mail, compose);
      const { subject, project_id } = mail.content;
      return {
        ...presentListed({ ...mail, subject, project_id }),
        message_id: messageId,
        from: `${from.name} <${from.address}>`,
        reply_to: `${replyTo.name} <${replyTo.address}>`,
        headers,
        text,
        html,
      };
    },
  });
}

function retryRoute(room: Room, { guards, db, clock }: Core, { wake }: AdminMailDeps): void {
  room.post('/admin/mails/:mail_id/retry', {
    summary: 'Send a mail that was kept or given up',
    params: params({ mail_id }),
    responses: { 202: Accepted },
    guard: guards.admin,
    async handler({ params }) {
      if (wake === null) throw fail.refused('no mail server is set');
      if ((await findMail(db, params.mail_id)) === null) throw fail.notFound('Mail');
      if (!(await queueAgain(db, params.mail_id, clock.now()))) {
        throw fail.refused('only a mail that was kept or has failed can be sent again');
      }
      wake();
      return accepted();
    },
  });
}

const presentListed = (mail: ListedMail) => ({
  id: mail.id,
  state: mail.state,
  kind: mail.kind,
  reason: mail.reason,
  user_id: mail.user_id,
  to: mail.recipient,
  subject: mail.subject,
  project_id: mail.project_id,
  attempts: mail.attempts,
  next_attempt_at: mail.state === 'queued' ? isoTimeOrNull(mail.next_attempt_at || null) : null,
  answer: mail.answer,
  created_at: isoTime(mail.created_at),
  settled_at: isoTimeOrNull(mail.settled_at),
});
