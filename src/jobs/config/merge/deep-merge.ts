import { isMap, type Yaml, type YamlMap, YamlTooBig } from '../yaml/value.ts';

/** Of all that is merged for one configuration: a base of a thousand keys that ten thousand jobs extend would fill the memory. */
const MAX_ENTRIES = 1_000_000;

/** Merges the mappings of one configuration, up to a bound on all of them together. */
export class Merging {
  #entries = 0;

  /** `over` on top of `base`: mappings are merged key by key, everything else is replaced. Neither is changed. Throws YamlTooBig. */
  deep(base: YamlMap, over: YamlMap): YamlMap {
    this.#entries += base.size + over.size;
    if (this.#entries > MAX_ENTRIES) throw new YamlTooBig();
    const merged = new Map<string, Yaml>(base);
    for (const [key, value] of over) {
      const below = base.get(key);
      merged.set(key, isMap(below) && isMap(value) ? this.deep(below, value) : value);
    }
    return merged;
  }
}
