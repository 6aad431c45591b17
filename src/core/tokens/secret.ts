import { hash, randomBytes } from 'node:crypto';

/** Tokens by kind, with GitLab's prefixes. */
const PREFIX = {
  personal: 'glpat-',
  job: 'glcbt-',
  runner: 'glrt-',
  /** Of a runner made by a registration token: clients tell the two by it. */
  registeredRunner: 'glrtr-',
  registration: 'GR1348941',
  /** Begins pipelines. */
  trigger: 'glptt-',
} as const;

export type TokenKind = keyof typeof PREFIX;

/** 20 random characters of base64url behind the prefix: 120 bits, the length that clients know from GitLab. */
export const newToken = (kind: TokenKind): string => PREFIX[kind] + randomBytes(15).toString('base64url');

/** What people tell tokens apart by: its first eight random characters. */
export const shortToken = (kind: TokenKind, token: string): string =>
  token.slice(PREFIX[kind].length).slice(0, 8);

/** What is stored. Plain SHA-256 is enough for 120 random bits: there is nothing to guess. */
export const tokenHash = (token: string): string => hash('sha256', token, 'hex');
