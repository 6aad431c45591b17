import type { Core } from '../../core/core.ts';
import { pauses } from '../../git/pause.ts';
import type { CodeIndex, CorpusName } from './code-index.ts';
import { codeOf, tipOf, wikiOf } from './corpora.ts';
import { codeProjectsAfter } from './corpora-store.ts';

const PAGE = 500;

/**
 * Finds every corpus whose indexed commit is not its tip: all of them after the index's folder was deleted, those that were
 * pushed to while no process of this node ran, and those whose project is gone. Reads two small files for each project.
 */
export async function findStale(
  core: Core,
  index: { open: () => Promise<CodeIndex>; isThere: boolean },
  found: (name: CorpusName) => void,
  signal: AbortSignal,
): Promise<void> {
  const pause = pauses();
  const alive = new Set<CorpusName>();
  let indexed: ReadonlyMap<CorpusName, string> | null = null;
  for (let after = 0; !signal.aborted; ) {
    const projects = await codeProjectsAfter(core.db, after, PAGE);
    for (const project of projects) {
      for (const corpus of [codeOf(core, project), wikiOf(core, project)]) {
        await pause();
        const tip = await tipOf(corpus);
        if (tip === null) continue;
        indexed ??= (await index.open()).corpora();
        alive.add(corpus.name);
        if (indexed.get(corpus.name) !== tip) found(corpus.name);
      }
    }
    const last = projects.at(-1);
    if (!last || projects.length < PAGE) break;
    after = last.id;
  }
  if (indexed === null && index.isThere) indexed = (await index.open()).corpora();
  for (const name of indexed?.keys() ?? []) if (!alive.has(name)) found(name);
}
