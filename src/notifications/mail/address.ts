/**
 * Addresses that we are ready to hand to a mail server: one address without a name, of visible ASCII, so that it can neither
 * break out of its header nor stand for several. 254 is what RFC 5321 leaves of a path of 256.
 */
const SHAPE = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

export const isMailAddress = (text: string): boolean => text.length <= 254 && SHAPE.test(text);

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
