import type { AST } from '@eslint-community/regexpp';
import { InvalidPattern } from '../../code-index.ts';
import {
  type Alphabet,
  type CodePointRange,
  rangesOfCharacter,
  rangesOfClass,
} from '../grams/code-points.ts';

/** Characters and classes that an expression has when its repetitions are spelled out: what a step through a text costs. */
const MAX_SIZE = 2000;
/** Each costs up to 25 ms to be spelled out in Unicode. */
const MAX_CLASSES = 32;

export interface TranslateOptions {
  caseSensitive: boolean;
  /** Of the texts that it will be held against. */
  alphabet: Alphabet;
}

/**
 * The expression in the syntax of RE2, meaning to the letter what it means in JavaScript: every class and every case is
 * spelled out as code points, so that nothing is left for the two engines to see differently.
 * @throws InvalidPattern for what cannot run in linear time, and for what is too large
 */
export function translateRegex(pattern: AST.Pattern, options: TranslateOptions): string {
  if (sizeOf(pattern) > MAX_SIZE) throw tooLarge();
  return new Translation(options).alternatives(pattern.alternatives);
}

function sizeOf(node: AST.Pattern | AST.Alternative | AST.Element): number {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return 1 + sum(node.alternatives);
    case 'Alternative':
      return sum(node.elements);
    case 'Quantifier':
      return sizeOf(node.element) * Math.max(1, Number.isFinite(node.max) ? node.max : node.min + 1);
    default:
      return 1;
  }
}

function sum(nodes: readonly (AST.Alternative | AST.Element)[]): number {
  return nodes.reduce((total, node) => total + sizeOf(node), 0);
}

class Translation {
  readonly #flags: 'u' | 'iu';
  readonly #alphabet: Alphabet;
  readonly #classes = new Set<string>();

  constructor({ caseSensitive, alphabet }: TranslateOptions) {
    this.#flags = caseSensitive ? 'u' : 'iu';
    this.#alphabet = alphabet;
  }

  alternatives(alternatives: AST.Alternative[]): string {
    const sources = alternatives.map(({ elements }) =>
      elements.map((element) => this.#element(element)).join(''),
    );
    return `(?:${sources.join('|')})`;
  }

  #element(element: AST.Element): string {
    switch (element.type) {
      case 'Character':
        return this.#character(element.value);
      case 'CharacterClass':
      case 'CharacterSet':
        return this.#class(element.raw);
      case 'Group':
        if (element.modifiers !== null) throw unsupported('modifiers of groups');
        return this.alternatives(element.alternatives);
      case 'CapturingGroup':
        return this.alternatives(element.alternatives);
      case 'Quantifier':
        return `(?:${this.#element(element.element)})${repetition(element)}`;
      case 'Assertion':
        return assertion(element);
      case 'Backreference':
        throw unsupported('backreferences');
      case 'ExpressionCharacterClass':
        throw unsupported('sets of classes');
    }
  }

  #class(raw: string): string {
    this.#classes.add(raw);
    if (this.#classes.size > MAX_CLASSES) throw tooLarge();
    return classSource(rangesOfClass(raw, this.#flags, this.#alphabet));
  }

  #character(value: number): string {
    const char = String.fromCodePoint(value);
    if (!char.isWellFormed()) return classSource([]);
    return classSource(rangesOfCharacter(char, this.#flags, this.#alphabet));
  }
}

function repetition({ min, max }: AST.Quantifier): string {
  return Number.isFinite(max) ? `{${min},${max}}` : `{${min},}`;
}

function assertion(element: AST.Assertion): string {
  switch (element.kind) {
    case 'start':
      return '\\A';
    case 'end':
      return '\\z';
    case 'word':
      return element.negate ? '\\B' : '\\b';
    default:
      throw unsupported('lookahead and lookbehind');
  }
}

function classSource(ranges: readonly CodePointRange[]): string {
  if (ranges.length === 0) return '[^\\x{0}-\\x{10FFFF}]';
  return `[${ranges.map(([from, to]) => `${hex(from)}-${hex(to)}`).join('')}]`;
}

function hex(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

export function tooLarge(cause?: Error): InvalidPattern {
  return new InvalidPattern('Regular expression is too large', { cause });
}

function unsupported(what: string): InvalidPattern {
  return new InvalidPattern(`Regular expression has ${what}, which code search does not support`);
}
