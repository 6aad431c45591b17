import { foldText } from '../grams/fold.ts';
import { mayHold, printsOf } from '../grams/signature.ts';
import { trigramsOf } from '../grams/trigrams.ts';

/** What a piece must hold for any of its lines to match, as far as the index can tell. */
export type Requirement =
  | { kind: 'any' }
  | { kind: 'text'; trigrams: Uint32Array; prints: Uint32Array }
  | { kind: 'all'; parts: Requirement[] }
  | { kind: 'one'; parts: Requirement[] };

export const ANYTHING: Requirement = { kind: 'any' };

/** The text, in whatever case. Shorter than a trigram, it requires nothing. */
export function requireText(text: string): Requirement {
  const classes = foldText(text);
  if (classes.length < 3) return ANYTHING;
  return { kind: 'text', trigrams: trigramsOf(classes), prints: printsOf(classes) };
}

export function requireAll(parts: Requirement[]): Requirement {
  const real = parts.filter(({ kind }) => kind !== 'any');
  return real.length > 1 ? { kind: 'all', parts: real } : (real[0] ?? ANYTHING);
}

export function requireOne(parts: Requirement[]): Requirement {
  if (parts.some(({ kind }) => kind === 'any')) return ANYTHING;
  return parts.length === 1 ? parts[0]! : { kind: 'one', parts };
}

/** Whether a piece with this signature may hold what is required. */
export function signatureAllows(requirement: Requirement, signature: Uint8Array): boolean {
  switch (requirement.kind) {
    case 'any':
      return true;
    case 'text':
      return mayHold(signature, requirement.prints);
    case 'all':
      return requirement.parts.every((part) => signatureAllows(part, signature));
    case 'one':
      return requirement.parts.some((part) => signatureAllows(part, signature));
  }
}
