/** What is put into the lines of a mail's head and into HTML, when it came from people. */

import { escapeHtml } from '../../platform/html.ts';

/** C0, DEL and C1, the line and paragraph separators, and the marks that turn the direction of writing around. */
const UNSEEMLY = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Text as one line that can neither end a header nor begin another one. Cut at `max` characters: a title may have 255 and a
 * subject of more than that helps nobody.
 */
export function oneLine(text: string, max = 400): string {
  const line = text.toWellFormed().replace(UNSEEMLY, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
}

/** HTML that is safe: `html` escapes whatever is put into it, save for what it made itself. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Html | readonly Html[] | null;

/** `` html`<b>${name}</b>` ``: names, titles and addresses are escaped, `Html` is taken as it is, null is nothing. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  const written = pieces.map((piece, index) => asHtml(piece) + strings[index + 1]!);
  return new Html(strings[0] + written.join(''));
}

function asHtml(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Html) return piece.text;
  if (Array.isArray(piece)) return piece.map(({ text }: Html) => text).join('');
  return escapeHtml(String(piece));
}

const ADDRESS = /https?:\/\/[^\s<>"']+/g;

/** Paragraphs of plain text as HTML, addresses as links. */
export function paragraphs(text: string): Html {
  const parts = text.split(/\n{2,}/).map((part) => part.trim());
  return new Html(
    parts
      .filter((part) => part !== '')
      .map((part) => `<p>${linked(part)}</p>`)
      .join('\n'),
  );
}

function linked(text: string): string {
  let at = 0;
  let written = '';
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    written += escapeHtml(text.slice(at, index));
    written += html`<a href="${address}">${address}</a>`.text;
    at = index + address.length;
  }
  return (written + escapeHtml(text.slice(at))).replaceAll('\n', '<br>\n');
}
