import type { AST } from '@eslint-community/regexpp';
import { type Requirement, requireAll, requireOne, requireText } from './requirement.ts';

/** What every line that matches holds, without regard to case. */
export interface RegexNeeds {
  /** For the index: which trigrams, joined by "all" and "one of". */
  requirement: Requirement;
  /** For the text: the longest run of characters that no match is without; may be empty. */
  literal: string;
}

/** A repeated character is spelled out so often. */
const MAX_SPELLED = 16;

/** Reads them off the expression; where it does not know, it asks for nothing. */
export function regexNeeds(pattern: AST.Pattern): RegexNeeds {
  return needsOf(pattern.alternatives);
}

function needsOf(alternatives: AST.Alternative[]): RegexNeeds {
  const run = new Run();
  readAlternatives(alternatives, run);
  return run.needs();
}

/** The characters that stand side by side in every match, gathered from left to right. */
class Run {
  #text = '';
  #literal = '';
  readonly #parts: Requirement[] = [];

  append(text: string): void {
    this.#text += text;
  }

  /** Anything may stand here. */
  interrupt(): void {
    if (this.#text.length > this.#literal.length) this.#literal = this.#text;
    this.#parts.push(requireText(this.#text));
    this.#text = '';
  }

  /** Something stands here that has needs of its own. */
  require({ requirement, literal }: RegexNeeds): void {
    this.interrupt();
    this.#parts.push(requirement);
    if (literal.length > this.#literal.length) this.#literal = literal;
  }

  needs(): RegexNeeds {
    this.interrupt();
    return { requirement: requireAll(this.#parts), literal: this.#literal };
  }
}

function readAlternatives(alternatives: AST.Alternative[], run: Run): void {
  if (alternatives.length === 1) {
    for (const element of alternatives[0]!.elements) readElement(element, run);
    return;
  }
  const requirement = requireOne(alternatives.map((alternative) => needsOf([alternative]).requirement));
  run.require({ requirement, literal: '' });
}

function readElement(element: AST.Element, run: Run): void {
  const char = onlyCharacter(element);
  if (char !== undefined) run.append(char);
  else if (element.type === 'Quantifier') readQuantifier(element, run);
  else if (element.type === 'Group' || element.type === 'CapturingGroup')
    readAlternatives(element.alternatives, run);
  else if (element.type !== 'Assertion') run.interrupt();
}

function readQuantifier({ element, min, max }: AST.Quantifier, run: Run): void {
  const char = onlyCharacter(element);
  if (min === 0) run.interrupt();
  else if (char !== undefined) readRepeated(char, min, max, run);
  else {
    const inner = new Run();
    readElement(element, inner);
    run.require(inner.needs());
  }
}

function readRepeated(char: string, min: number, max: number, run: Run): void {
  const spelled = char.repeat(Math.min(min, MAX_SPELLED));
  run.append(spelled);
  if (min === max && min <= MAX_SPELLED) return;
  run.interrupt();
  run.append(spelled);
}

/** The one character, whatever its case, that an element stands for: `a`, `[a]`, `[aA]`. */
function onlyCharacter(element: AST.Element | AST.QuantifiableElement): string | undefined {
  if (element.type === 'Character') return toText(element);
  if (element.type !== 'CharacterClass' || element.negate || element.unicodeSets) return undefined;
  const chars = element.elements.map((member) => (member.type === 'Character' ? toText(member) : undefined));
  const [first] = chars;
  if (first === undefined) return undefined;
  const like = new RegExp(`^${RegExp.escape(first)}$`, 'iu');
  return chars.every((char) => char !== undefined && like.test(char)) ? first : undefined;
}

/** Half a surrogate pair is no text: none that was decoded has it. */
function toText({ value }: AST.Character): string | undefined {
  const text = String.fromCodePoint(value);
  return text.isWellFormed() ? text : undefined;
}
