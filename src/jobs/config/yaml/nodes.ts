import type { Document, Pair } from 'yaml';
import { resolvePlain } from './scalars.ts';
import { BrokenYaml } from './syntax-errors.ts';
import { isDecimal, isList, isMap, isReference, type Yaml, type YamlList, YamlTooBig } from './value.ts';

type Library = typeof import('yaml');

/** The value of a parsed document. Throws BrokenYaml for aliases of nothing, YamlTooBig for those of themselves. */
export function documentValue(yaml: Library, document: Document): Yaml {
  return new Reading(yaml).value(document.contents);
}

/** Being read: its anchor is known, its value is not yet. */
const OPEN = Symbol('open');

class Reading {
  readonly #yaml: Library;
  readonly #anchors = new Map<string, Yaml | typeof OPEN>();

  constructor(yaml: Library) {
    this.#yaml = yaml;
  }

  value(node: unknown): Yaml {
    const yaml = this.#yaml;
    if (yaml.isAlias(node)) return this.#shared(node.source);
    if (!yaml.isNode(node)) return null;
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, OPEN);
    const value = this.#content(node);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, value);
    return value;
  }

  #shared(anchor: string): Yaml {
    const value = this.#anchors.get(anchor);
    if (value === undefined) throw new BrokenYaml(`An alias referenced an unknown anchor: ${anchor}`);
    if (value === OPEN) throw new YamlTooBig();
    return value;
  }

  #content(node: unknown): Yaml {
    const yaml = this.#yaml;
    if (yaml.isScalar(node)) return tagged(node.tag, scalar(String(node.value ?? ''), node));
    if (yaml.isSeq(node))
      return tagged(
        node.tag,
        node.items.map((item) => this.value(item)),
      );
    return yaml.isMap(node) ? tagged(node.tag, this.#map(node.items)) : null;
  }

  #map(pairs: readonly Pair[]): Yaml {
    const map = new Map<string, Yaml>();
    for (const { key, value } of pairs) {
      const name = this.value(key);
      const content = this.value(value);
      const merged = name === '<<' ? mergeable(content) : null;
      for (const [inner, innerValue] of merged ?? [[keyText(name), content] as const])
        map.set(inner, innerValue);
    }
    return map;
  }
}

/** `!!str` and a bare `!` make text of a plain word. Tags that nobody knows mean nothing, as in Ruby. */
function scalar(text: string, { type, tag }: { type?: string | undefined; tag?: string | undefined }): Yaml {
  // no database and no process takes it
  if (text.includes('\0')) throw new BrokenYaml('(<unknown>): control characters are not allowed');
  return type === 'PLAIN' && tag !== '!' && !tag?.endsWith(':str') ? resolvePlain(text) : text;
}

const tagged = (tag: string | undefined, value: Yaml): Yaml =>
  tag === '!reference' ? { reference: value } : value;

/** What `<<` brings in, the first of a list winning; null where it is a key like any other. */
function mergeable(value: Yaml): Iterable<readonly [string, Yaml]> | null {
  if (isMap(value)) return value;
  if (!isList(value) || !value.every(isMap)) return null;
  return [...(value as YamlList)].reverse().flatMap((part) => [...(isMap(part) ? part : [])]);
}

function keyText(key: Yaml): string {
  if (typeof key !== 'object') return String(key);
  if (key === null) return '';
  if (isDecimal(key)) return key.decimal;
  throw new BrokenYaml(isReference(key) ? 'A reference cannot be a key' : 'Invalid configuration format');
}
