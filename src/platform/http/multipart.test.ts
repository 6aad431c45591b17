import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { readFormWithFile } from './multipart.ts';

const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n';
const field = (value: string) => `--b\r\nContent-Disposition: form-data; name="field"\r\n\r\n${value}\r\n`;

describe('a form whose file is a stream', () => {
  const incomingForm = () =>
    Object.assign(new PassThrough(), {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      socket: { bytesRead: 0 },
    });
  type Form = ReturnType<typeof incomingForm>;

  /** Reads what `send` sends; hands back what came of it, and what was stored and discarded until then. */
  async function read(send: (form: Form) => unknown, take: (file: Readable) => Promise<string> = text) {
    const form = incomingForm();
    const events: string[] = [];
    const reading = readFormWithFile(form as unknown as IncomingMessage, 'file', {
      store: (file) =>
        take(file).then(
          (stored) => `stored ${stored}`,
          async (error) => {
            await turn();
            events.push('cleaned up');
            throw error;
          },
        ),
      discard: async (stored) => {
        await turn();
        events.push(`discarded ${stored}`);
      },
    });
    send(form);
    const outcome = await reading.then(
      ({ fields, stored }) => ({ field: fields['field'], stored }),
      (error: Error) => error.constructor.name,
    );
    return [outcome, events];
  }

  it('is stored as it comes, fields before and after it', async () => {
    const before = await read((form) => form.end(`${field('x')}${FILE}--b--\r\n`));
    assert.deepEqual(before, [{ field: 'x', stored: 'stored bytes' }, []]);
    const after = await read((form) => form.end(`${FILE}${field('x')}--b--\r\n`));
    assert.deepEqual(after, before);
    const without = await read((form) => form.end(`${field('x')}--b--\r\n`));
    assert.deepEqual(without, [{ field: 'x', stored: null }, []]);
  });

  it('is refused once its file is given back, where something wrong follows the file', async () => {
    const refused = await read((form) => {
      form.write(`${FILE}--b`);
      setTimeout(() => form.end(`${field('a\0b').slice('--b'.length)}--b--\r\n`), 5);
    });
    assert.deepEqual(refused, ['ApiError', ['discarded stored bytes']]);
  });

  it('is refused once whoever stores has cleaned up, where it ends in its middle or is cut', async () => {
    const half = FILE.slice(0, -4);
    assert.deepEqual(await read((form) => form.end(half)), ['ApiError', ['cleaned up']]);
    const cut = await read((form) => {
      form.write(half);
      setTimeout(() => form.destroy(), 5);
    });
    assert.deepEqual(cut, ['ClientGone', ['cleaned up']]);
  });

  it('rejects with what whoever stores rejects with', async () => {
    const full = async () => {
      throw new RangeError('full');
    };
    assert.deepEqual(await read((form) => form.end(`${FILE}--b--\r\n`), full), [
      'RangeError',
      ['cleaned up'],
    ]);
  });
});
