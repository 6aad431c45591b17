import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FLUSH, MalformedPacket, PacketSplitter, packet } from './pkt-line.ts';

describe('packet lines', () => {
  it('count their bytes, not their characters', () => {
    assert.equal(packet('hello\n').toString(), '000ahello\n');
    assert.equal(packet('ü').toString(), '0006ü');
    assert.equal(packet('').toString(), '0004');
  });

  it('refuse what does not fit', () => {
    assert.equal(packet('x'.repeat(65_516)).length, 65_520);
    assert.throws(() => packet('x'.repeat(65_517)), MalformedPacket);
  });

  it('come out the same however the bytes are cut', () => {
    const bytes = Buffer.concat([packet('one'), packet(''), FLUSH, packet('two\0x'), FLUSH]);
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = new PacketSplitter();
      const found: (string | null)[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        for (const payload of splitter.push(bytes.subarray(at, at + size))) {
          found.push(payload === null ? null : payload.toString());
        }
      }
      assert.deepEqual(found, ['one', '', null, 'two\0x', null]);
    }
  });

  it('with an impossible length are refused after those before them', () => {
    for (const bad of ['0001', '0003', 'fff1', 'PACK', '-001', '0x10']) {
      const given: unknown[] = [];
      assert.throws(() => {
        for (const payload of new PacketSplitter().push(Buffer.from(`0005a${bad}`))) given.push(payload);
      }, MalformedPacket);
      assert.equal(given.length, 1);
    }
  });
});
