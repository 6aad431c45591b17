import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText } from './decode-text.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('text of bytes', () => {
  it('is UTF-8 where it is', () => {
    assert.equal(decodeText(Buffer.from('\ufeffPrivet Привет 🚀\r\n')), '\ufeffPrivet Привет 🚀\r\n');
    assert.equal(decodeText(Buffer.from('')), '');
  });

  it('is windows-1252 where it is not', () => {
    assert.equal(decodeText(latin1('Äü\n')), 'Äü\n');
    assert.equal(decodeText(Buffer.from([0x80, 0x93, 0x94])), '€“”');
  });

  it('is told line by line, so that a stray byte garbles one line', () => {
    const bytes = Buffer.concat([Buffer.from('Größe\n'), latin1('Größe\n'), Buffer.from('Größe')]);
    assert.equal(decodeText(bytes), 'Größe\nGröße\nGröße');
  });

  it('has as many lines as the bytes, each well-formed', () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => (i % 5 === 0 ? 10 : i % 256)));
    const text = decodeText(bytes);
    assert.equal(text.split('\n').length, bytes.toString('latin1').split('\n').length);
    assert.ok(text.isWellFormed());
  });
});
