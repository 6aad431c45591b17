/** Shorter ones are no secrets but ordinary words: GitLab masks from eight characters on. */
const MIN_LENGTH = 8;

/** As bytes, longest first, so that one that holds another is covered whole. */
export function secretBytes(secrets: Iterable<string>): Buffer[] {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_LENGTH)
    .map((secret) => Buffer.from(secret))
    .sort((a, b) => b.length - a.length);
}

/** So many bytes before a piece may hold the beginning of a secret that ends in it. */
export const reachOf = (secrets: readonly Buffer[]): number => Math.max(0, (secrets[0]?.length ?? 1) - 1);

/**
 * Writes `x` over every secret in `bytes`, in place: never another length, because runner and server count the same bytes. Returns where
 * the first change is; null where there was none.
 */
export function coverSecrets(bytes: Buffer, secrets: readonly Buffer[]): number | null {
  let first: number | null = null;
  for (const secret of secrets) {
    for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length)) {
      bytes.fill('x', at, at + secret.length);
      first = first === null ? at : Math.min(first, at);
    }
  }
  return first;
}
