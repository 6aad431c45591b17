/**
 * What a YAML text comes to. Mappings are Maps, so that no key, `__proto__` for one, means anything to JavaScript; aliases are
 * shared, not copied. Values are never changed once they are read.
 */
export type Yaml = null | boolean | number | string | YamlList | YamlMap | Decimal | Reference;
export type YamlList = readonly Yaml[];
export type YamlMap = ReadonlyMap<string, Yaml>;

/** A number that JavaScript would not write as Ruby does: `1.0`, or one of 20 digits. */
export interface Decimal {
  readonly decimal: string;
}

/** `!reference [job, key]`. */
export interface Reference {
  readonly reference: Yaml;
}

export const isMap = (value: Yaml | undefined): value is YamlMap => value instanceof Map;

export const isList = (value: Yaml | undefined): value is YamlList => Array.isArray(value);

const isPlainObject = (value: Yaml): value is Decimal | Reference =>
  typeof value === 'object' && value !== null && !isMap(value) && !isList(value);

export const isDecimal = (value: Yaml): value is Decimal => isPlainObject(value) && 'decimal' in value;

export const isReference = (value: Yaml): value is Reference => isPlainObject(value) && 'reference' in value;

/** Strings and numbers as text, as a variable has them; null for everything else. */
export function scalarText(value: Yaml | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value === undefined || value === null || typeof value === 'boolean') return null;
  return isDecimal(value) ? value.decimal : null;
}

/** A tree that is larger or deeper than any real configuration, told before anything walks it. */
export class YamlTooBig extends Error {
  override name = 'YamlTooBig';
}

const MAX_NODES = 300_000;

/** GitLab's own bound. */
const MAX_DEPTH = 100;

/**
 * Counts trees as if everything shared in them were written out, each part once, so that a bomb of ten lines is found in ten
 * steps.
 */
export class Measure {
  readonly #known = new Map<Yaml, Size>();
  #nodes = 0;

  /** Nodes so far. Throws YamlTooBig. */
  add(root: Yaml): number {
    this.#nodes += this.#visit(root, 1).nodes;
    if (this.#nodes > MAX_NODES) throw new YamlTooBig();
    return this.#nodes;
  }

  #visit(value: Yaml, depth: number): Size {
    if (typeof value !== 'object' || value === null) return ONE;
    const before = this.#known.get(value);
    if (before && before.height + depth <= MAX_DEPTH) return before;
    if (before || depth > MAX_DEPTH) throw new YamlTooBig();
    const size = { nodes: 1, height: 1 };
    for (const child of childrenOf(value)) {
      const { nodes, height } = this.#visit(child, depth + 1);
      size.nodes += nodes;
      size.height = Math.max(size.height, height + 1);
      if (size.nodes > MAX_NODES) throw new YamlTooBig();
    }
    this.#known.set(value, size);
    return size;
  }
}

interface Size {
  nodes: number;
  height: number;
}

const ONE: Size = { nodes: 1, height: 1 };

/** How many values a tree has, those that are shared counted as often as they are there. Throws YamlTooBig. */
export const nodesOf = (root: Yaml): number => new Measure().add(root);

function childrenOf(value: YamlList | YamlMap | Decimal | Reference): Iterable<Yaml> {
  if (isMap(value)) return value.values();
  if (isList(value)) return value;
  return isReference(value) ? [value.reference] : [];
}
