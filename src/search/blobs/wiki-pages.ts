import type { CodeSearchAnswer } from '../code/code-search.ts';
import type { Wanted } from './page.ts';

/** What a page of a wiki is written in, as GitLab has it. Other files of a wiki are attachments, which no search finds. */
const MARKUP =
  /\.(?:mdown|mkdn?|md|markdown|rmd|adoc|ad|asciidoc|textile|rdoc|org|creole|wiki|mediawiki|rst)$/i;

/** The hits in pages only. The engine knows no such rule, so it is asked for more until there are enough. */
export async function inPages(
  { limit, shown }: Wanted,
  search: (limit: number) => Promise<CodeSearchAnswer>,
): Promise<CodeSearchAnswer> {
  for (let asked = limit; ; asked *= 4) {
    const answer = await search(asked);
    const hits = answer.hits.filter(({ path }) => MARKUP.test(path));
    if (hits.length < limit && answer.truncated) continue;
    const found = Math.min(hits.length, limit);
    return { ...answer, hits: hits.slice(0, Math.min(limit, shown)), found, truncated: found === limit };
  }
}
