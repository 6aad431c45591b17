import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../html.ts';

/** A page for people who follow a link from a mail: a sentence, and at most one button. */
export interface Page {
  title: string;
  text: string;
  button?: { label: string; action: string; fields: Record<string, string> };
}

/** The address holds a token: nobody may keep it, frame the page, or learn where its reader came from. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

export const sendPage = (reply: FastifyReply, status: number, page: Page): FastifyReply =>
  reply.code(status).headers(HEADERS).send(pageHtml(page));

const STYLE = 'body{font:16px/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}';

const pageHtml = ({ title, text, button }: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${button ? formHtml(button) : ''}</body></html>
`;

function formHtml({ label, action, fields }: NonNullable<Page['button']>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<button>${escapeHtml(label)}</button></form>
`;
}
