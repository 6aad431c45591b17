/** `$VAR`, `"text"`, `/pattern/flags`, `null`, an operator or a bracket. */
export type Token =
  | { kind: 'variable'; name: string }
  | { kind: 'text'; value: string }
  | { kind: 'pattern'; source: string; flags: string }
  | { kind: 'null' }
  | { kind: 'operator'; operator: Operator }
  | { kind: '(' | ')' };

export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||';

/** GitLab's own bound. */
const MAX_TOKENS = 100;

const TOKEN =
  /\s*(?:\$(?<variable>\w+)|"(?<double>[^"]*)"|'(?<single>[^']*)'|\/(?<source>(?:[^/\\\n]|\\.)+)\/(?<flags>[ismU]*)|(?<nothing>null)\b|(?<operator>==|!=|=~|!~|&&|\|\|)|(?<bracket>[()]))/y;

/** The words of a condition; null where one is none, or there are too many. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups;
    if (!groups || tokens.length === MAX_TOKENS) return null;
    tokens.push(token(groups));
  }
  return tokens;
}

function token(found: Record<string, string | undefined>): Token {
  const { variable, double, single, source, flags = '', nothing, operator, bracket } = found;
  if (variable !== undefined) return { kind: 'variable', name: variable };
  if (source !== undefined) return { kind: 'pattern', source, flags };
  if (nothing !== undefined) return { kind: 'null' };
  if (operator !== undefined) return { kind: 'operator', operator: operator as Operator };
  if (bracket !== undefined) return { kind: bracket as '(' | ')' };
  return { kind: 'text', value: double ?? single ?? '' };
}
