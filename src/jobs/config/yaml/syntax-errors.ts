import type { ErrorCode, YAMLError } from 'yaml';
import { YamlTooBig } from './value.ts';

/** A text that is YAML but says something that cannot be; its message is for the reader. */
export class BrokenYaml extends Error {
  override name = 'BrokenYaml';
}

const TAB = 'found character that cannot start any token while scanning for the next token';
const NESTED = 'mapping values are not allowed in this context';
const KEY = 'did not find expected key while parsing a block mapping';

/** The sentences of libyaml, which people know and search for. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  BLOCK_AS_IMPLICIT_KEY: NESTED,
  MULTILINE_IMPLICIT_KEY: NESTED,
  BLOCK_IN_FLOW: NESTED,
  TAB_AS_INDENT: TAB,
  BAD_SCALAR_START: TAB,
  MULTIPLE_ANCHORS: KEY,
  UNEXPECTED_TOKEN: KEY,
};

/** As GitLab shows a text that is no YAML. Throws YamlTooBig where the parser ran out of stack. */
export function sentenceOf({ code, message, linePos }: YAMLError): string {
  if (message.startsWith('Maximum call stack')) throw new YamlTooBig();
  const at = linePos ? ` at line ${linePos[0].line} column ${linePos[0].col}` : '';
  return `(<unknown>): ${bracket(message) ?? quote(message) ?? SENTENCES[code] ?? plain(message)}${at}`;
}

function bracket(message: string): string | null {
  const [, kind, end] = /^Flow (map|sequence) .* end with a ([\]}])/.exec(message) ?? [];
  if (!end) return null;
  const noun = kind === 'map' ? 'mapping' : 'sequence';
  return `did not find expected ',' or '${end}' while parsing a flow ${noun}`;
}

function quote(message: string): string | null {
  const isOpen = /^Missing closing ['"]quote/.test(message);
  return isOpen ? 'found unexpected end of stream while scanning a quoted scalar' : null;
}

/** Of the first line, without the place and the excerpt. */
const plain = (message: string): string =>
  (message.split('\n', 1)[0] ?? message).replace(/ at line \d+, column \d+:$/, '');
