/** What `rules:if` is made of. */
export type Expression =
  | { kind: 'variable'; name: string }
  | { kind: 'text'; value: string }
  | { kind: 'pattern'; source: string; flags: string }
  | { kind: 'null' }
  | { kind: 'compare'; operator: '==' | '!=' | '=~' | '!~'; left: Expression; right: Expression }
  | { kind: 'and' | 'or'; left: Expression; right: Expression };
