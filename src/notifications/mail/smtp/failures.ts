import type { FailureKind } from './messages.ts';

/** As nodemailer throws it. */
export interface SmtpError extends Error {
  code?: string;
  /** What was being said when it happened: `RCPT TO`, `DATA`, `MAIL FROM`, … */
  command?: string;
  /** The server's, where it answered. */
  responseCode?: number;
  response?: string;
}

const MAX_REASON = 500;

/** Size limits, the only refusals of a sender that are about the mail (RFC 1870, and 554 of those who do not know it). */
const ABOUT_THE_MAIL: readonly number[] = [552, 554];

/**
 * What a failure says about the mail, and what about the server. Only a mail that the server has looked at and refused is given
 * up: a wrong password or a sender that may not send would otherwise cost every mail that waits.
 */
export function failureOf(error: SmtpError): { kind: FailureKind; reason: string } {
  const reason = reasonOf(error);
  if (error.code !== 'EENVELOPE' && error.code !== 'EMESSAGE') return { kind: 'down', reason };
  const code = error.responseCode;
  if (code === undefined) return { kind: 'refused', reason };
  if (code === 421) return { kind: 'down', reason };
  if (code < 500) return { kind: 'deferred', reason };
  const ofSender = error.command === 'MAIL FROM' && !ABOUT_THE_MAIL.includes(code);
  return { kind: ofSender ? 'down' : 'refused', reason };
}

/** The server's own words where there are any, on one line. */
function reasonOf({ response, message, code }: SmtpError): string {
  const text = response ? response : `${code ?? 'failed'}: ${message}`;
  return text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
