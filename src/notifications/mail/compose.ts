import { headerReason, type NoticeReason } from '../notice.ts';
import { type LinkTarget, type UnsubscribeLinks, unsubscribePath } from '../unsubscribe/links.ts';
import type { Sender } from './address.ts';
import { footReason } from './render/reasons.ts';
import type { MailContentRow, MailRow } from './tables.ts';
import { Html, html } from './text.ts';
import type { OutgoingMail } from './transport.ts';

export interface ComposeDeps {
  /** Of the service: its address, and its name where no person speaks. */
  from: () => Sender;
  /** Where what people answer goes: nobody reads mail to the service. */
  replyTo: () => Sender;
  baseUrl: () => string;
  links: () => Promise<UnsubscribeLinks>;
}

export type MailWithContent = MailRow & { content: MailContentRow };

/** Mails of machines say so, so that no other machine answers (RFC 3834; the second one is for Exchange). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** What is sent: the part that all have in common, and the foot, the links and the headers of this one reader. */
export async function composeMail(mail: MailWithContent, deps: ComposeDeps): Promise<OutgoingMail> {
  const { content } = mail;
  const baseUrl = deps.baseUrl();
  const key = keyOf(mail, await deps.links());
  const link = key && baseUrl + unsubscribePath(key);
  const foot = footOf(mail, link, new URL(baseUrl).hostname);
  return {
    messageId: `<${content.message_id}>`,
    from: { ...deps.from(), ...(content.from_name !== null && { name: content.from_name }) },
    replyTo: deps.replyTo(),
    to: mail.recipient,
    subject: content.subject,
    text: foot === null ? `${content.text_body}\n` : `${content.text_body}\n\n-- \n${foot.text}\n`,
    html: page(content, foot?.html ?? null),
    headers: {
      ...AUTOMATIC,
      ...(JSON.parse(content.headers) as object),
      ...reasonHeader(mail),
      ...replyKey(content, key),
      ...linkHeaders(link),
    },
    date: content.created_at,
  };
}

/** RFC 8058: programs that know it send a POST, readers of others get a page to confirm. */
const linkHeaders = (link: string | null): Record<string, string> =>
  link === null
    ? {}
    : { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

function reasonHeader({ reason }: MailRow): Record<string, string> {
  const named = reason === null ? null : headerReason(reason as NoticeReason);
  return named === null ? {} : { 'X-GitLab-NotificationReason': named };
}

/** GitLab has it on every mail of a thread; filters tell by it what comes from a forge. */
const replyKey = ({ thing_id: thingId }: MailContentRow, key: string | null): Record<string, string> =>
  key === null || thingId === null ? {} : { 'X-GitLab-Reply-Key': key };

function keyOf(mail: MailWithContent, links: UnsubscribeLinks): string | null {
  const target = targetOf(mail);
  return target === null ? null : links.key(target);
}

function targetOf({ id, kind, user_id: userId, content }: MailWithContent): LinkTarget | null {
  const { thing_type: type, thing_id: thingId } = content;
  if (type !== null && thingId !== null) return { userId, thing: { type, id: thingId } };
  return kind.endsWith('_digest') ? { userId, mailId: id } : null;
}

interface Foot {
  text: string;
  html: Html;
}

function footOf({ reason, kind }: MailRow, link: string | null, host: string): Foot | null {
  if (reason === null) return null;
  const why = footReason(reason as NoticeReason, host);
  const what = kind.endsWith('_digest') ? 'Unsubscribe from all of these' : 'Unsubscribe from this thread';
  return {
    text: link === null ? why : `${why}\n${what}: ${link}`,
    html: html`<p style="color:#666;font-size:small">-- <br>
${why}${
  link &&
  html`<br>
<a href="${link}">${what}</a>`
}</p>`,
  };
}

const page = ({ subject, html_body: body }: MailContentRow, foot: Html | null): string =>
  html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
${new Html(body)}
${foot}
</body>
</html>
`.text;
