import { isMailAddress } from '../../core/users/emails/address.ts';

export interface Sender {
  name: string;
  address: string;
}

/** `MAIL_FROM`: `ingot@example.com` or `Ingot <ingot@example.com>`; null when it is neither. */
export function readSender(text: string): Sender | null {
  const named = /^([^<>\r\n]*)<([^<>\s]+)>$/.exec(text.trim());
  const name = (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  const address = named?.[2] ?? text.trim();
  return isMailAddress(address) ? { name: name || 'Ingot', address } : null;
}
