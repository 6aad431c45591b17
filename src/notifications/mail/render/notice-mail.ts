import type { NoticeBase } from '../../notice.ts';
import type { MailContent } from '../outbox.ts';
import { type Html, html } from '../text.ts';
import { noticeHeaders } from './headers.ts';
import { markdownToHtml } from './markdown.ts';
import { detailsOf, sentenceOf } from './sentences.ts';
import { subjectOf } from './subject.ts';
import { threadPlace } from './threads.ts';
import { unsubscribable } from './unsubscribable.ts';

/** One act as a mail of its own, the same for all who get it. */
export async function noticeMail(notice: NoticeBase, baseUrl: string): Promise<MailContent> {
  const host = new URL(baseUrl).hostname;
  const body = await renderAct(notice, baseUrl);
  return {
    kind: notice.kind,
    subject: subjectOf(notice),
    ...(notice.actor && { fromName: senderName(notice.actor) }),
    messageId: threadPlace(notice, host).messageId,
    headers: noticeHeaders(notice, host),
    text: body.text,
    html: body.html.text,
    projectId: notice.project?.id ?? null,
    thing: unsubscribable(notice),
  };
}

export const senderName = ({ name, username }: { name: string; username: string }) =>
  `${name} (@${username})`;

/** What has happened and what was said, without who is told and why. */
export async function renderAct(notice: NoticeBase, baseUrl: string): Promise<{ text: string; html: Html }> {
  const { act, thing } = notice;
  const url = act.url ?? thing.url;
  const said = act.text ? await markdownToHtml(act.text, baseUrl) : null;
  const cut = act.cut ? 'This is the beginning; the rest is behind the link.' : null;
  return {
    text: [...opening(notice), ...(act.text ? ['', act.text] : []), ...(cut ? ['', cut] : []), '', url].join(
      '\n',
    ),
    html: html`${openingHtml(notice, url)}${said && html`<div>${said}</div>`}${cut && html`<p>${cut}</p>`}
<p><a href="${url}">View it on ${new URL(baseUrl).host}</a></p>`,
  };
}

function opening(notice: NoticeBase): string[] {
  const details = detailsOf(notice).map(([name, value]) => `${name}: ${value}`);
  const commits = (notice.act.commits ?? []).map(({ id, title }) => `* ${id.slice(0, 8)} - ${title}`);
  return [
    `${sentenceOf(notice)}${notice.act.text ? ':' : '.'}`,
    ...spaced(notice.thing.title ? [notice.thing.title] : []),
    ...spaced(details),
    ...spaced([...commits, ...moreCommits(notice)]),
  ];
}

const spaced = (lines: string[]) => (lines.length === 0 ? [] : ['', ...lines]);

function moreCommits({ act: { commits, commitCount } }: NoticeBase): string[] {
  const left = (commitCount ?? 0) - (commits?.length ?? 0);
  return commits !== undefined && left > 0 ? [`* and ${left} more`] : [];
}

function openingHtml(notice: NoticeBase, url: string): Html {
  const { act, thing } = notice;
  const details = detailsOf(notice).map(([name, value]) => html`<li>${name}: <b>${value}</b></li>`);
  const commits = (act.commits ?? []).map(
    ({ id, title }) => html`<li><code>${id.slice(0, 8)}</code> ${title}</li>`,
  );
  const more = moreCommits(notice).map((line) => html`<li>${line.slice(2)}</li>`);
  return html`<p>${sentenceOf(notice)}${act.text ? ':' : '.'}</p>
${thing.title ? html`<p><a href="${url}"><b>${thing.title}</b></a></p>\n` : null}${listOf(details)}${listOf([...commits, ...more])}`;
}

const listOf = (items: Html[]): Html | null => (items.length === 0 ? null : html`<ul>${items}</ul>\n`);
