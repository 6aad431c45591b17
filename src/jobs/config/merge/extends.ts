import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import { ConfigError } from './config-error.ts';
import { deepMerge } from './deep-merge.ts';

/** GitLab's own bound. */
const MAX_LEVELS = 10;

/** The configuration with every job merged over what it extends. Throws ConfigError. */
export function resolveExtends(root: YamlMap): YamlMap {
  const extending = new Extending(root);
  return new Map([...root.keys()].map((key) => [key, extending.entry(key, [])]));
}

class Extending {
  readonly #root: YamlMap;
  readonly #done = new Map<string, YamlMap>();

  constructor(root: YamlMap) {
    this.#root = root;
  }

  entry(name: string, below: readonly string[]): Yaml {
    const own = this.#root.get(name) ?? null;
    if (!isMap(own)) return own;
    const names = namesOf(own.get('extends'));
    if (names === null) return own;
    return this.#done.get(name) ?? this.#extend(name, { own, names, below });
  }

  #extend(
    name: string,
    { own, names, below }: { own: YamlMap; names: string[]; below: readonly string[] },
  ): YamlMap {
    const chain = [...below, name];
    if (below.includes(name)) throw new ConfigError(`${name}: circular dependency detected in \`extends\``);
    if (chain.length > MAX_LEVELS) throw new ConfigError(`${name}: nesting too deep in \`extends\``);
    this.#check(name, names);
    const bases = names.map((each) => this.entry(each, chain)).filter(isMap);
    const merged = [...bases, own].reduce(deepMerge);
    this.#done.set(name, merged);
    return merged;
  }

  #check(name: string, names: string[]): void {
    const unknown = names.filter((each) => !this.#root.has(each));
    if (unknown.length > 0)
      throw new ConfigError(`${name}: unknown keys in \`extends\` (${unknown.join(', ')})`);
    const invalid = names.filter((each) => !isMap(this.#root.get(each)));
    if (invalid.length > 0)
      throw new ConfigError(`${name}: invalid base hashes in \`extends\` (${invalid.join(', ')})`);
  }
}

/** Null where there is nothing to extend, or what is there is for the checks to refuse. */
function namesOf(value: Yaml | undefined): string[] | null {
  if (typeof value === 'string') return [value];
  const isNames = isList(value) && value.every((each) => typeof each === 'string');
  return isNames && value.length > 0 ? (value as string[]) : null;
}
