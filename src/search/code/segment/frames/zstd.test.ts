import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { randomNumbers } from '../testing.ts';
import { decodePublicly, ZstdDecoder } from './decoder.ts';
import { encodePublicly, ZstdEncoder } from './encoder.ts';
import { SLACK, ZstdStream } from './zstd-stream.ts';

const random = randomNumbers(5);
const textOf = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes }, (_, at) => 97 + ((at * at + random() * 3) % 26)));
const frameOf = (text: Buffer) => encodePublicly(text, 'thorough');
const texts = [1, 2, 700, 20_000, 65_536, 300_000].map(textOf);

const WAYS: [string, (decoder: ZstdDecoder) => (frame: Buffer, text: Buffer) => boolean][] = [
  ['with one context', (decoder) => (frame, text) => decoder.decode(frame, text)],
  ['by public means', () => decodePublicly],
];

for (const [name, wayOf] of WAYS) {
  describe(`zstd frames, ${name}`, () => {
    it('are decoded one after the other', () => {
      const decode = wayOf(new ZstdDecoder());
      for (const text of [...texts, ...texts.toReversed()]) {
        const room = Buffer.alloc(text.length + SLACK);
        assert.ok(decode(frameOf(text), room));
        assert.deepEqual(room.subarray(0, text.length), text);
      }
    });

    it('are refused when they are cut, damaged, or of another length, and the next one is read', () => {
      const decode = wayOf(new ZstdDecoder());
      const text = texts[3]!;
      const frame = frameOf(text);
      const flipped = Buffer.from(frame);
      flipped[frame.length >> 1]! ^= 0x10;
      const refused: [Buffer, number][] = [
        [frame.subarray(0, -1), text.length],
        [frame.subarray(0, -4), text.length],
        [frame.subarray(0, 5), text.length],
        [Buffer.alloc(0), text.length],
        [Buffer.from('something else, and long enough'), text.length],
        [flipped, text.length],
        [frame, text.length - 1],
        [frame, text.length + 1],
        [Buffer.concat([frame, frame]), text.length],
      ];
      for (const [bytes, length] of refused) {
        // the public call passes over what follows a frame
        if (decode === decodePublicly && bytes.length > frame.length) continue;
        assert.equal(
          decode(bytes, Buffer.alloc(length + SLACK)),
          false,
          `${bytes.length} bytes for ${length}`,
        );
        const room = Buffer.alloc(text.length + SLACK);
        assert.ok(decode(frame, room));
        assert.deepEqual(room.subarray(0, text.length), text);
      }
    });
  });
}

describe('the encoder', () => {
  it('writes with one context, one frame after the other, what the public call writes', () => {
    for (const effort of ['quick', 'thorough'] as const) {
      const encoder = new ZstdEncoder(effort);
      for (const text of [...texts, Buffer.alloc(0), randomBytes(100_000), ...texts.toReversed()])
        assert.deepEqual(encoder.encode(text), encodePublicly(text, effort), `${text.length} bytes`);
      encoder.close();
    }
  });
});

describe('a stream of zlib', () => {
  it('has the native half that one context for all frames needs; without it frames would take twice the time', () => {
    for (const stream of [createZstdCompress(), createZstdDecompress()])
      assert.ok(new ZstdStream(stream).isNative);
  });
});
