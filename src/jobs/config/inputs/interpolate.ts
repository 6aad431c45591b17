import type { Breath } from '../breath.ts';
import { ConfigError } from '../merge/config-error.ts';
import { isList, isMap, isReference, Measure, type Yaml, type YamlMap, YamlTooBig } from '../yaml/value.ts';
import type { InputFunctions } from './functions.ts';
import { inputText } from './types.ts';

const OPEN = '$[[';
const CLOSE = ']]';
/** GitLab's own bounds. */
const MAX_FUNCTIONS = 3;
const MAX_BLOCK = 1024;
/** Of all texts that blocks make in a file, in letters: a long value may stand in a hundred thousand places. */
const MAX_MADE = 8 * 1024 * 1024;

interface Deps {
  values: ReadonlyMap<string, Yaml>;
  functions: InputFunctions;
  breath: Breath;
}

/** The file with each `$[[ inputs.name | function ]]` replaced. Throws ConfigError, YamlTooBig. */
export async function interpolate(root: YamlMap, { values, functions, breath }: Deps): Promise<YamlMap> {
  const work = new Interpolation(values, functions);
  const made = new Map<string, Yaml>();
  const size = new Measure();
  for (const [key, value] of root) {
    const filled = work.value(value);
    size.add(filled);
    made.set(work.key(key), filled);
    await breath.take();
  }
  return made;
}

class Interpolation {
  readonly #values: ReadonlyMap<string, Yaml>;
  readonly #functions: InputFunctions;
  /** Parts are shared by anchors; each is looked through once. */
  readonly #parts = new Map<Yaml, Yaml>();
  #made = 0;

  constructor(values: ReadonlyMap<string, Yaml>, functions: InputFunctions) {
    this.#values = values;
    this.#functions = functions;
  }

  value(value: Yaml): Yaml {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    const before = this.#parts.get(value);
    if (before !== undefined) return before;
    const filled = this.#part(value);
    this.#parts.set(value, filled);
    return filled;
  }

  key(key: string): string {
    return key.includes(OPEN) ? inputText(this.#text(key)) : key;
  }

  #part(value: Yaml): Yaml {
    if (isMap(value)) return new Map([...value].map(([key, each]) => [this.key(key), this.value(each)]));
    if (isList(value)) return value.map((each) => this.value(each));
    return isReference(value) ? { reference: this.value(value.reference) } : value;
  }

  /** A block that is the whole text gives its value, any other a part of a longer text. */
  #text(text: string): Yaml {
    const parts: string[] = [];
    let at = 0;
    for (;;) {
      const open = text.indexOf(OPEN, at);
      const close = open < 0 ? -1 : text.indexOf(CLOSE, open + OPEN.length);
      if (close < 0) break;
      const value = this.#block(text.slice(open + OPEN.length, close));
      if (open === 0 && close + CLOSE.length === text.length) return value;
      parts.push(text.slice(at, open), this.#count(inputText(value)));
      at = close + CLOSE.length;
    }
    return at === 0 ? text : parts.join('') + text.slice(at);
  }

  #block(written: string): Yaml {
    if (written.length > MAX_BLOCK) throw new ConfigError('interpolation block is too long');
    const [access = '', ...functions] = written.split('|').map((part) => part.trim());
    if (functions.length > MAX_FUNCTIONS) throw new ConfigError('too many functions in interpolation block');
    let value = this.#access(access);
    for (const name of functions) {
      if (typeof value !== 'string')
        throw new ConfigError(
          `error in \`${name.replace(/\(.*/, '')}\` function: invalid input type: it can only be used with string inputs`,
        );
      value = this.#functions.apply(name, this.#count(value));
    }
    return value;
  }

  #access(access: string): Yaml {
    const dot = access.indexOf('.');
    const root = dot < 0 ? access : access.slice(0, dot);
    if (root !== 'inputs') throw new ConfigError(`unknown interpolation key: \`${root}\``);
    const name = dot < 0 ? '' : access.slice(dot + 1);
    const value = this.#values.get(name);
    if (value === undefined) throw new ConfigError(`unknown interpolation key: \`${name}\``);
    return value;
  }

  #count(text: string): string {
    this.#made += text.length;
    if (this.#made > MAX_MADE) throw new YamlTooBig();
    return text;
  }
}
