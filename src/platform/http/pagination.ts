import { ApiError } from '../errors.ts';
import { Answer } from './answer.ts';
import { SECRET_PARAMS } from './credentials.ts';
import { optional, param } from './params.ts';
import { emptyParams, encodeParam, formEncode, type RawParams } from './rack.ts';

/** GitLab's two ways through a list. Offset pages carry `X-*` headers and `Link`; keyset pages carry only `Link`. */

export const PER_PAGE_DEFAULT = 20;
export const PER_PAGE_MAX = 100;
/** Above this many rows GitLab sends no totals and no last page. */
const COUNT_LIMIT = 10_000;

export const pageParams = {
  page: optional(param.integer({ description: 'Page number, from 1.' })),
  per_page: optional(param.integer({ description: 'Items per page, at most 100.' })),
};

export const keysetParams = {
  pagination: optional(param.string({ description: '`keyset` for pages by position instead of by number.' })),
  cursor: optional(param.string({ description: 'Position in a keyset list, taken from the `Link` header.' })),
};

export interface Page {
  page: number;
  perPage: number;
  offset: number;
}

/** GitLab counts no further into lists of groups and of users than this. */
const MAX_OFFSET = 50_000;

/** Throws 405 for a page behind what GitLab counts up to; `type` is what it calls the things of the list. */
export function demandNear({ page, perPage }: Page, type: 'Group' | 'User'): void {
  if (page * perPage <= MAX_OFFSET) return;
  throw new ApiError('keyset_refused', {
    text: `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
  });
}

type PageInput = { page?: number | null | undefined; per_page?: number | null | undefined };

/**
 * The page asked for. Elsewhere than in the commit routes a page below 1 counts as 1, a negative `per_page` as the
 * default, and `per_page=0` is refused; `strict` refuses everything below 1 in the other words.
 */
export function pageOf(params: PageInput, { strict = false } = {}): Page {
  const problems: string[] = [];
  if (strict) {
    if ((params.page ?? 1) < 1) problems.push('page does not have a valid value');
    if ((params.per_page ?? 1) < 1) problems.push('per_page does not have a valid value');
  } else if (params.per_page === 0) problems.push('per_page has a value not allowed');
  if (problems.length > 0) throw new ApiError('invalid_params', { problems: problems.join(', ') });
  const page = Math.max(params.page ?? 1, 1);
  const asked = params.per_page ?? PER_PAGE_DEFAULT;
  const perPage = asked < 1 ? PER_PAGE_DEFAULT : Math.min(asked, PER_PAGE_MAX);
  return { page, perPage, offset: Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER) };
}

export interface Linkable {
  baseUrl: string;
  path: string;
  linkParams: RawParams;
}

export interface PageFacts {
  /** Rows in the whole list; left out where counting would cost more than the page. */
  total?: number;
  /** Needed where total is not given. */
  hasNext?: boolean;
}

export function pageHeaders(request: Linkable, page: Page, facts: PageFacts): Record<string, string> {
  const counted = facts.total !== undefined && facts.total <= COUNT_LIMIT;
  const totalPages = Math.max(Math.ceil((facts.total ?? 0) / page.perPage), 1);
  const hasNext = facts.total === undefined ? (facts.hasNext ?? false) : page.page < totalPages;
  const beyond = facts.total !== undefined && page.page > totalPages;
  const hasPrevious = page.page > 1 && !beyond;
  const [before, after] = aroundPage(request, page);
  const link = (number: number, rel: string) => `<${before}${number}${after}>; rel="${rel}"`;
  const links = [
    hasPrevious && link(page.page - 1, 'prev'),
    hasNext && link(page.page + 1, 'next'),
    link(1, 'first'),
    counted && link(totalPages, 'last'),
  ].filter((entry) => entry !== false);
  return {
    'x-per-page': String(page.perPage),
    'x-page': String(page.page),
    'x-next-page': hasNext ? String(page.page + 1) : '',
    'x-prev-page': hasPrevious ? String(page.page - 1) : '',
    ...(counted && { 'x-total': String(facts.total), 'x-total-pages': String(totalPages) }),
    link: links.join(', '),
  };
}

/** A list answer with every header of an offset page. */
export const pageAnswer = (request: Linkable, page: Page, body: unknown, facts: PageFacts) =>
  new Answer(200, body, pageHeaders(request, page, facts));

/** Pages a list that is already in memory. */
export function sliceAnswer<T, U>(
  request: Linkable,
  page: Page,
  items: readonly T[],
  present: (item: T) => U,
): Answer {
  const slice = items.slice(page.offset, page.offset + page.perPage);
  return pageAnswer(request, page, slice.map(present), { total: items.length });
}

/** A keyset page: `next` holds the parameters that lead to the next one, null at the end. */
export function keysetAnswer(
  request: Linkable,
  body: unknown,
  next: Record<string, string | number> | null,
): Answer {
  const headers: Record<string, string> = next ? { link: `<${linkTo(request, next)}>; rel="next"` } : {};
  return new Answer(200, body, headers);
}

export function refuseKeyset(): never {
  throw new ApiError('keyset_refused', {
    text: 'Keyset pagination is not yet available for this type of request',
  });
}

/** Cursors are opaque to clients: the JSON of a position, base64url. Anything else answers `cursor is invalid`. */
export const encodeCursor = (position: Record<string, string | number>) =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

export function decodeCursor(cursor: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // falls through to the refusal: a broken cursor is the caller's mistake, whatever broke
  }
  throw new ApiError('invalid_params', { problems: 'cursor is invalid' });
}

/** The address of a page, cut where the page's number stands: written once for all links. */
function aroundPage({ baseUrl, path, linkParams }: Linkable, { perPage }: Page): [string, string] {
  const names = Object.keys(linkParams).filter((name) => !SECRET_PARAMS.has(name) && !OWN_PARAMS.has(name));
  const sorted = [...names, ...OWN_PARAMS].sort();
  const at = sorted.indexOf('page');
  const pairs = sorted.map((name) =>
    name === 'per_page' ? `per_page=${perPage}` : name === 'page' ? '' : encodeParam(name, linkParams[name]),
  );
  const before = pairs.slice(0, at).filter(Boolean);
  const after = pairs.slice(at + 1).filter(Boolean);
  return [
    `${baseUrl}${path}?${before.map((pair) => `${pair}&`).join('')}page=`,
    after.map((pair) => `&${pair}`).join(''),
  ];
}

const OWN_PARAMS: ReadonlySet<string> = new Set(['page', 'per_page']);

function linkTo(request: Linkable, changes: Record<string, string | number>): string {
  const params = emptyParams();
  const { linkParams } = request;
  for (const key in linkParams) params[key] = linkParams[key];
  for (const key in changes) params[key] = changes[key];
  return `${request.baseUrl}${request.path}?${formEncode(params, SECRET_PARAMS)}`;
}
