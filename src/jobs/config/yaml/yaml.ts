import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isTooBig, readYaml, TOO_BIG, type YamlResult } from './read.ts';
import { YamlThreads } from './threads.ts';
import { isMap, type Yaml } from './value.ts';
import { writeYaml } from './write.ts';

/** Texts that are read in a few milliseconds; most configurations. */
const SMALL_TEXT = 8_000;
/** Jobs; written in a few milliseconds. */
const SMALL_TREE = 20;
/** Letters of text; what is read of them takes some ten times as much memory. */
const MAX_KEPT = 1_000_000;

/**
 * Reads and writes YAML. What is large gets a thread of its own: the parser makes some 2 MB a second and cannot pause, and a
 * hostile text may take any time and memory.
 */
export class YamlReader {
  readonly #threads = new YamlThreads();
  /** The same file makes one pipeline after the other. */
  readonly #known = new LRUCache<string, YamlResult>({ maxSize: MAX_KEPT });

  /** Throws 503 when too many wait, YamlReaderClosed. */
  async read(text: string): Promise<YamlResult> {
    if (isTooBig(text)) return TOO_BIG;
    if (text.length <= SMALL_TEXT) return readYaml(text);
    const key = hash('sha256', text);
    const known = this.#known.get(key);
    if (known) return known;
    const result = await this.#threads.read(text);
    // one that came to no end may have met a busy machine
    if (result) this.#known.set(key, result, { size: text.length });
    return result ?? TOO_BIG;
  }

  /** Null where it took too long. Throws 503 when too many wait, YamlReaderClosed. */
  async write(tree: Yaml): Promise<string | null> {
    const isSmall = !isMap(tree) || tree.size <= SMALL_TREE;
    return isSmall ? writeYaml(tree) : this.#threads.write(tree);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
