const PREFIX = 'glptt-';
const SHORT_LENGTH = 4;

/** What is shown of a token to those who may not have it: the letters after what all of them begin with. */
export const shortToken = (token: string): string =>
  (token.startsWith(PREFIX) ? token.slice(PREFIX.length) : token).slice(0, SHORT_LENGTH);
