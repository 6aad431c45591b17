import type { Visibility } from '../tables.ts';

const RANK: Record<Visibility, number> = { private: 0, internal: 10, public: 20 };

export const isWider = (visibility: Visibility, than: Visibility): boolean => RANK[visibility] > RANK[than];

export const narrower = (one: Visibility, other: Visibility): Visibility =>
  isWider(one, other) ? other : one;

/** What is open to the same people or fewer: the values that a search below this visibility would skip. */
export const widerThan = (visibility: Visibility): Visibility[] =>
  (Object.keys(RANK) as Visibility[]).filter((other) => isWider(other, visibility));
