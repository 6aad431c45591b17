import type { Breath } from '../breath.ts';
import { isList, isMap, isReference, type Yaml, type YamlMap } from '../yaml/value.ts';
import { ConfigError } from './config-error.ts';

/** GitLab's own bound. */
const MAX_LEVELS = 10;

/** The configuration with every `!reference` replaced by what it names. Throws ConfigError. */
export async function resolveReferences(root: YamlMap, breath: Breath): Promise<YamlMap> {
  const resolving = new Resolving(root);
  const resolved = new Map<string, Yaml>();
  for (const [key, value] of root) {
    resolved.set(key, resolving.value(value, []));
    await breath.take();
  }
  return resolved;
}

class Resolving {
  readonly #root: YamlMap;
  /** By the reference as it is written. */
  readonly #known = new Map<string, Yaml>();
  /** Parts are shared by anchors; each is looked through once. */
  readonly #parts = new Map<Yaml, Yaml>();

  constructor(root: YamlMap) {
    this.#root = root;
  }

  value(value: Yaml, chain: readonly string[]): Yaml {
    if (typeof value !== 'object' || value === null) return value;
    if (isReference(value)) return this.#reference(value.reference, chain);
    const before = this.#parts.get(value);
    if (before !== undefined) return before;
    const resolved = this.#part(value, chain);
    this.#parts.set(value, resolved);
    return resolved;
  }

  #part(value: Yaml, chain: readonly string[]): Yaml {
    if (isMap(value)) return new Map([...value].map(([key, each]) => [key, this.value(each, chain)]));
    return isList(value) ? value.map((each) => this.value(each, chain)) : value;
  }

  #reference(path: Yaml, chain: readonly string[]): Yaml {
    const isPath = isList(path) && path.length > 0 && path.every((step) => typeof step === 'string');
    const written = `!reference ${JSON.stringify(isList(path) ? path : [path]).replaceAll('","', '", "')}`;
    if (!isPath) throw new ConfigError(`${written} is not valid`);
    if (chain.includes(written)) throw new ConfigError(`${written} is part of a circular chain`);
    if (chain.length >= MAX_LEVELS) throw new ConfigError(`${written} is nested too deep`);
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    const resolved = this.value(this.#find(path as string[], written), [...chain, written]);
    this.#known.set(written, resolved);
    return resolved;
  }

  #find(path: readonly string[], written: string): Yaml {
    let at: Yaml | undefined = this.#root;
    for (const step of path) at = isMap(at) ? at.get(step) : undefined;
    if (at === undefined || at === null) throw new ConfigError(`${written} could not be found`);
    return at;
  }
}
