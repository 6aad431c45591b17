/** One question in the words of both. */
export interface Question {
  /** What a person types into GitLab's search box. */
  ours: string;
  /** The same for Zoekt, which reads expressions. */
  theirs: string;
  regex?: true;
}

const literal = (text: string): Question => ({ ours: text, theirs: `"${escaped(text)}"` });

/** Escaped twice: for the expression, and for the quotes around it. */
const escaped = (text: string) =>
  text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');

/**
 * Rare, common, phrases, punctuation, nothing, by path, an expression. `the` is a word for which GitLab does not look, so
 * `int` stands beside it as a word that is everywhere.
 */
export const QUESTIONS: readonly Question[] = [
  literal('PTRACE_SEIZE'),
  literal('spin_lock_irqsave'),
  literal('return -EINVAL'),
  literal('kmalloc('),
  literal('zzz_no_such_thing'),
  literal('mutex_lock'),
  { ours: 'TODO path:drivers/net', theirs: 'TODO file:drivers/net' },
  literal('static int __init'),
  literal('the'),
  { ours: 'struct\\s+task_struct\\s*\\*p', theirs: '"struct\\\\s+task_struct\\\\s*\\\\*p"', regex: true },
  literal('e1000_probe'),
  literal('copyright'),
  literal('int'),
];

/** Those that hit only a handful of files. */
export const RARE = ['PTRACE_SEIZE', 'e1000_probe', 'zzz_no_such_thing'];

/** A third names, a third phrases of two or three words of one line, a third words that are nowhere. The same for the same seed. */
export function randomQuestions(lines: readonly string[], count: number, seed = 42): Question[] {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const made: Question[] = [];
  while (made.length < count) {
    const line = pick(lines).trim();
    const kind = made.length % 3;
    if (kind === 0) {
      const names = line.match(/[A-Za-z_]\w{5,30}/g);
      if (names) made.push(literal(pick(names)));
    } else if (kind === 1) {
      const phrase = /[A-Za-z_]\w+ [^\s"\\]{2,20}(?: [^\s"\\]{2,20})?/.exec(line)?.[0];
      if (phrase) made.push(literal(phrase));
    } else made.push(literal(Array.from({ length: 9 }, () => pick([...'abcdefghiklmnoprstuz'])).join('')));
  }
  return made;
}

/** A small generator of even numbers in [0, 1): mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
