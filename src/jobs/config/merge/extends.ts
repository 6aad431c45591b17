import type { Breath } from '../breath.ts';
import { isList, isMap, type Yaml, type YamlMap } from '../yaml/value.ts';
import { ConfigError } from './config-error.ts';
import { Merging } from './deep-merge.ts';

/** GitLab's own bound. */
const MAX_LEVELS = 10;

/** The configuration with every job merged over what it extends. Throws ConfigError. */
export async function resolveExtends(root: YamlMap, breath: Breath): Promise<YamlMap> {
  const extending = new Extending(root);
  const extended = new Map<string, Yaml>();
  for (const key of root.keys()) {
    extended.set(key, extending.entry(key, []).value);
    await breath.take();
  }
  return extended;
}

interface Extended {
  value: Yaml;
  /** How many steps there are to the last base. */
  levels: number;
}

class Extending {
  readonly #root: YamlMap;
  readonly #merging = new Merging();
  readonly #done = new Map<string, Extended>();

  constructor(root: YamlMap) {
    this.#root = root;
  }

  /** @param below the names that lead here */
  entry(name: string, below: readonly string[]): Extended {
    const own = this.#root.get(name) ?? null;
    const names = isMap(own) ? namesOf(own.get('extends')) : null;
    if (!isMap(own) || names === null) return { value: own, levels: 0 };
    const extended = this.#done.get(name) ?? this.#extend(name, { own, names, below });
    if (below.length + extended.levels > MAX_LEVELS)
      throw new ConfigError(`${name}: nesting too deep in \`extends\``);
    return extended;
  }

  #extend(
    name: string,
    { own, names, below }: { own: YamlMap; names: string[]; below: readonly string[] },
  ): Extended {
    if (below.includes(name)) throw new ConfigError(`${name}: circular dependency detected in \`extends\``);
    if (below.length > MAX_LEVELS) throw new ConfigError(`${name}: nesting too deep in \`extends\``);
    this.#check(name, names);
    const bases = names.map((each) => this.entry(each, [...below, name]));
    const parts = [...bases.map((base) => base.value).filter(isMap), own];
    const value = parts.reduce((base, over) => this.#merging.deep(base, over));
    const extended = { value, levels: 1 + Math.max(...bases.map(({ levels }) => levels)) };
    this.#done.set(name, extended);
    return extended;
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
