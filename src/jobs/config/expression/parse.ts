import { type Operator, type Token, tokensOf } from './lexer.ts';

/** What `rules:if` is made of. */
export type Expression =
  | Value
  | { kind: 'compare'; operator: Comparison; left: Expression; right: Expression }
  | { kind: 'and' | 'or'; terms: Expression[] };

type Value = Extract<Token, { kind: 'variable' | 'text' | 'pattern' | 'null' }>;
export type Comparison = Exclude<Operator, '&&' | '||'>;

/** Null where the text is no condition. Whether its patterns are patterns is asked elsewhere. */
export function parseExpression(text: string): Expression | null {
  const tokens = tokensOf(text);
  if (!tokens) return null;
  const parser = new Parser(tokens);
  const expression = parser.either();
  return parser.atEnd ? expression : null;
}

/** The patterns written in a condition. */
export function patternsOf(expression: Expression): { source: string; flags: string }[] {
  if (expression.kind === 'pattern') return [expression];
  if (expression.kind === 'compare') return [expression.left, expression.right].flatMap(patternsOf);
  return 'terms' in expression ? expression.terms.flatMap(patternsOf) : [];
}

/** One function for each step of precedence; each gives null where what it looks for is not there. */
class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  either(): Expression | null {
    return this.#terms('or', '||', () => this.#all());
  }

  #all(): Expression | null {
    return this.#terms('and', '&&', () => this.#comparison());
  }

  #terms(kind: 'and' | 'or', operator: Operator, next: () => Expression | null): Expression | null {
    const terms: Expression[] = [];
    do {
      const term = next();
      if (!term) return null;
      terms.push(term);
    } while (this.#take([operator]));
    return terms.length === 1 ? terms[0]! : { kind, terms };
  }

  #comparison(): Expression | null {
    let left = this.#value();
    for (let operator = left && this.#take(COMPARISONS); left && operator; ) {
      const right = this.#value();
      left = right && { kind: 'compare', operator, left, right };
      operator = this.#take(COMPARISONS);
    }
    return left;
  }

  #take<O extends Operator>(operators: readonly O[]): O | null {
    const token = this.#tokens[this.#at];
    const found = token?.kind === 'operator' && operators.find((each) => each === token.operator);
    if (!found) return null;
    this.#at++;
    return found;
  }

  #value(): Expression | null {
    const token = this.#tokens[this.#at];
    if (!token || token.kind === 'operator') return null;
    this.#at++;
    if (!isBracket(token)) return token;
    if (token.kind === ')') return null;
    const inner = this.either();
    return this.#tokens[this.#at++]?.kind === ')' ? inner : null;
  }
}

const isBracket = (token: Token): token is Extract<Token, { kind: '(' | ')' }> =>
  token.kind === '(' || token.kind === ')';

const COMPARISONS: readonly Comparison[] = ['==', '!=', '=~', '!~'];
