/** RFC 9580: just enough of it to read from an armoured signature whose it claims to be. */

const TAG_SIGNATURE = 2;
const SUBPACKET_ISSUER = 16;
const SUBPACKET_FINGERPRINT = 33;

/** The key id, 16 hex digits in upper case as GitLab prints it; null when the signature names none or is broken. */
export function pgpIssuer(armour: string): string | null {
  const body = signatureBody(dearmour(armour));
  // Version 4 is what git signs with; 3 has another layout, 6 longer counts.
  if (body?.[0] !== 4 || body.length < 6) return null;
  const hashedLength = body.readUInt16BE(4);
  const hashed = body.subarray(6, 6 + hashedLength);
  const rest = body.subarray(6 + hashedLength);
  const unhashed = rest.length < 2 ? rest : rest.subarray(2, 2 + rest.readUInt16BE(0));
  const found = [...subpackets(hashed), ...subpackets(unhashed)];
  const issuer = found.find(({ type, data }) => type === SUBPACKET_ISSUER && data.length === 8);
  // A version octet, then the 20 bytes of which the last 8 are the key id.
  const print = found.find(({ type, data }) => type === SUBPACKET_FINGERPRINT && data.length === 21);
  const id = issuer?.data ?? print?.data.subarray(13);
  return id?.toString('hex').toUpperCase() ?? null;
}

/** Lines between the armour headers, which an empty line ends, and the checksum, which begins with `=`. */
function dearmour(armour: string): Buffer {
  const lines = armour.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() === '') + 1;
  const end = lines.findIndex((line, index) => index >= start && /^[=-]/.test(line));
  return Buffer.from(lines.slice(start, end < 0 ? undefined : end).join(''), 'base64');
}

/** Contents of the first packet, if it is a signature. */
function signatureBody(data: Buffer): Buffer | null {
  const [head, first] = data;
  if (head === undefined || first === undefined || (head & 0x80) === 0) return null;
  const modern = (head & 0x40) !== 0;
  if ((modern ? head & 0x3f : (head & 0x3c) >> 2) !== TAG_SIGNATURE) return null;
  const start = modern ? 1 + lengthOctets(first) : 1 + (1 << (head & 3));
  return data.subarray(start);
}

/** How many octets a new-format length takes that begins with this one. */
const lengthOctets = (first: number): number => (first < 192 ? 1 : first < 255 ? 2 : 5);

interface Subpacket {
  type: number;
  data: Buffer;
}

function subpackets(area: Buffer): Subpacket[] {
  const found: Subpacket[] = [];
  let at = 0;
  while (at < area.length) {
    const octets = lengthOctets(area[at]!);
    if (at + octets >= area.length) break;
    const length = readLength(area, at, octets);
    if (length === 0) break;
    const type = area[at + octets]! & 0x7f;
    found.push({ type, data: area.subarray(at + octets + 1, at + octets + length) });
    at += octets + length;
  }
  return found;
}

function readLength(area: Buffer, at: number, octets: number): number {
  if (octets === 1) return area[at]!;
  return octets === 2 ? ((area[at]! - 192) << 8) + area[at + 1]! + 192 : area.readUInt32BE(at + 1);
}
