/**
 * Addresses that mail can be sent to: one address without a name, of visible ASCII, so that it can neither break out of its
 * header nor stand for several. 254 is what RFC 5321 leaves of a path of 256.
 */
const SHAPE = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

export const isMailAddress = (text: string): boolean => text.length <= 254 && SHAPE.test(text);
