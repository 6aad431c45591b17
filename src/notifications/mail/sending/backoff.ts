/** Waits that double from the first to the longest. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** After so many failures; the random half keeps what failed together from coming back together. */
export const waitMs = ({ firstMs, maxMs }: Backoff, failures: number): number =>
  Math.ceil(Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2));
