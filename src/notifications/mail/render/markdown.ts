import type { MarkdownIt, Token } from 'markdown-it';
import { Html, html } from '../text.ts';

/**
 * What makes Markdown slow to read. A text of 20,000 characters with more than this takes longer than 10 ms, made up of nothing
 * else up to 75 ms, and mails are written where requests are answered: such a text is shown as it was written.
 */
const MARKS = /[[\]*_`@<|]|:\/\//g;
const MAX_MARKS = 400;
const MAX_LINES = 1000;

/**
 * Markdown of people as HTML for a mail. HTML in it stays text, and links with schemes that run something stay words. Pictures
 * become links: one that is loaded tells its writer who has opened the mail, when and from where.
 */
export async function markdownToHtml(text: string, baseUrl: string): Promise<Html> {
  if (isSlow(text)) return html`<pre>${text}</pre>`;
  const markdown = await openParser(baseUrl);
  return new Html(markdown.render(text));
}

function isSlow(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(MARKS) > MAX_MARKS || count(/\n/g) > MAX_LINES;
}

/** Loaded with the first mail: it takes 3 MB that a service without mail does not need. */
async function openParser(baseUrl: string): Promise<MarkdownIt> {
  const { default: Markdown } = await import('markdown-it');
  const markdown = new Markdown({ html: false, linkify: true, breaks: true });
  // Without a scheme before them words are only taken for addresses after a long look.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  const { rules } = markdown.renderer;
  rules['image'] = (tokens, index) => {
    const token = tokens[index]!;
    return html`<a href="${addressIn(token, 'src', baseUrl)}">${token.content || 'image'}</a>`.text;
  };
  rules['link_open'] = (tokens, index, options, _env, renderer) => {
    const token = tokens[index]!;
    token.attrSet('href', addressIn(token, 'href', baseUrl));
    return renderer.renderToken(tokens, index, options);
  };
  return markdown;
}

/** A mail has no address of its own that `/uploads/…` could be read against. */
function addressIn(token: Token, name: string, baseUrl: string): string {
  const address = String(token.attrGet(name) ?? '');
  return address.startsWith('/') && !address.startsWith('//') ? baseUrl + address : address;
}
