import type { MailContent } from '../mail/outbox.ts';
import { projectHeaders } from '../mail/render/headers.ts';
import { noticeMail, renderAct, senderName } from '../mail/render/notice-mail.ts';
import { LINE_REASONS } from '../mail/render/reasons.ts';
import { sentenceOf } from '../mail/render/sentences.ts';
import { type Html, html } from '../mail/text.ts';
import { type Delivery, NOTICE_REASONS, type Notice, type NoticeReason } from '../notice.ts';
import { thingKey } from './schedule.ts';

/** What one mail says of several acts; none of the lists is empty. */
export interface GatheredMail {
  content: MailContent;
  /** The strongest of all. */
  reason: NoticeReason;
}

/** What happened to one thing within a minute: the acts in order, each in full. One act is a mail like any other. */
export async function batchMail(notices: readonly Notice[], baseUrl: string): Promise<GatheredMail> {
  const first = notices[0]!;
  const single = await noticeMail(first, baseUrl);
  const reason = strongestReason(notices);
  if (notices.length === 1) return { content: single, reason };
  const parts = await Promise.all(notices.map((notice) => renderAct(notice, baseUrl)));
  const people = new Map(notices.flatMap(({ actor }) => (actor ? [[actor.id, actor]] : [])));
  const { fromName: _, ...rest } = single;
  return {
    reason,
    content: {
      ...rest,
      ...(people.size === 1 && { fromName: senderName([...people.values()][0]!) }),
      headers: { ...rest.headers, 'X-Ingot-Event': [...new Set(notices.map(({ kind }) => kind))].join(', ') },
      text: parts.map(({ text }) => text).join('\n\n----\n\n'),
      html: parts.map(({ html: part }) => part.text).join('\n<hr>\n'),
    },
  };
}

/** What happened within an hour or a day: by project and thing, a line for each act that says why it is there. */
export function digestMail(
  notices: readonly Notice[],
  { delivery, baseUrl, at }: { delivery: Delivery; baseUrl: string; at: number },
): GatheredMail {
  const host = new URL(baseUrl).hostname;
  const projects = [...Map.groupBy(notices, ({ project }) => project?.id ?? null).values()];
  const only = projects.length === 1 ? projects[0]![0]!.project : null;
  const places = only ? only.name : `${projects.length} projects`;
  const count = notices.length === 1 ? '1 change' : `${notices.length} changes`;
  const last = notices.at(-1)!;
  return {
    reason: strongestReason(notices),
    content: {
      kind: `${delivery}_digest`,
      subject: `${places} | ${delivery === 'hourly' ? 'Hourly' : 'Daily'} digest: ${count}`,
      messageId: `${delivery}_digest.${last.userId}.${last.eventId}.${at.toString(36)}@${host}`,
      headers: { ...(only && projectHeaders(only, host)), 'X-Ingot-Event': `${delivery}_digest` },
      projectId: only?.id ?? null,
      text: projects.map(projectText).join('\n\n'),
      html: projects.map((project) => projectHtml(project).text).join('\n'),
    },
  };
}

const strongestReason = (notices: readonly Notice[]): NoticeReason =>
  NOTICE_REASONS.find((reason) => notices.some((notice) => notice.reason === reason))!;

const projectName = ([first]: readonly Notice[]): string => first?.project?.fullName ?? 'Personal snippets';

const byThing = (notices: readonly Notice[]): Notice[][] => [...Map.groupBy(notices, thingKey).values()];

function projectText(notices: Notice[]): string {
  const name = projectName(notices);
  return [name, '='.repeat(Math.min(name.length, 70)), ...byThing(notices).map(thingText)].join('\n');
}

function thingText(notices: Notice[]): string {
  const { thing } = notices.at(-1)!;
  const lines = notices.map(
    (notice) => `* ${timeOf(notice)} ${lineOf(notice)} (${LINE_REASONS[notice.reason]})`,
  );
  return ['', headOf(notices), thing.url, ...lines].join('\n');
}

function projectHtml(notices: Notice[]): Html {
  return html`<h2>${projectName(notices)}</h2>
${byThing(notices).map(thingHtml)}`;
}

function thingHtml(notices: Notice[]): Html {
  const { thing } = notices.at(-1)!;
  const lines = notices.map(
    (notice) =>
      html`<li>${timeOf(notice)} <a href="${notice.act.url ?? thing.url}">${lineOf(notice)}</a> <small>(${LINE_REASONS[notice.reason]})</small></li>\n`,
  );
  return html`<h3><a href="${thing.url}">${headOf(notices)}</a></h3>
<ul>
${lines}</ul>
`;
}

/** The title as it was last. */
function headOf(notices: Notice[]): string {
  const { thing } = notices.at(-1)!;
  return `${thing.title} ${thing.reference === '' ? '' : `(${thing.reference})`}`.trim();
}

const timeOf = ({ at }: Notice): string => `${new Date(at).toISOString().slice(5, 16).replace('T', ' ')} UTC`;

const MAX_EXCERPT = 200;

/** What happened, and the first words of what was said. */
function lineOf(notice: Notice): string {
  const words = (notice.act.text ?? '').replace(/\s+/g, ' ').trim();
  const excerpt = words.length > MAX_EXCERPT ? `${words.slice(0, MAX_EXCERPT)}…`.toWellFormed() : words;
  return excerpt === '' ? sentenceOf(notice) : `${sentenceOf(notice)}: ${excerpt}`;
}
