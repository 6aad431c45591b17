/** Git's framing (gitprotocol-common): four hex digits give the length of a packet, those digits included; `0000` ends a section. */

export const FLUSH = Buffer.from('0000');
const HEADER = 4;
/** Largest packet that git writes and accepts. */
const MAX_PACKET = 65_520;

export class MalformedPacket extends Error {
  override name = 'MalformedPacket';
}

export function packet(text: string): Buffer {
  const payload = Buffer.from(text, 'utf8');
  const length = payload.length + HEADER;
  if (length > MAX_PACKET) throw new MalformedPacket(`a packet of ${length} bytes cannot be sent`);
  return Buffer.concat([Buffer.from(length.toString(16).padStart(4, '0')), payload]);
}

/** Cuts bytes, in pieces as they arrive, into packets: null stands for a flush. Keeps at most one unfinished packet. */
export class PacketSplitter {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws MalformedPacket at the first length that cannot be one; the packets before it have been given out. */
  *push(chunk: Buffer): Generator<Buffer | null> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEADER) {
      const length = packetLength(this.#rest.toString('latin1', 0, HEADER));
      const end = Math.max(length, HEADER);
      if (this.#rest.length < end) return;
      const payload = length === 0 ? null : this.#rest.subarray(HEADER, end);
      this.#rest = this.#rest.subarray(end);
      yield payload;
    }
  }
}

function packetLength(digits: string): number {
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  if (length === 0 || (length >= HEADER && length <= MAX_PACKET)) return length;
  throw new MalformedPacket(`bad packet length ${JSON.stringify(digits)}`);
}

/** The packets of a stream of bytes, null for each flush. Leaves the stream open when the reader stops early. */
export async function* readPackets(stream: AsyncIterator<Buffer>): AsyncGenerator<Buffer | null> {
  const splitter = new PacketSplitter();
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    yield* splitter.push(next.value);
  }
}
