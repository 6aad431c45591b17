import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SharedSignatures } from './shared-signatures.ts';
import { ThreadNews } from './thread-news.ts';

/** Signatures of which only the version changes. */
function news() {
  const signatures = {
    version: 1,
    held: new Map([[1, new SharedArrayBuffer(1)]]),
    wanted: false,
    want() {
      this.wanted = true;
    },
    release() {
      this.wanted = false;
    },
  };
  return { signatures, news: new ThreadNews<string>(signatures as unknown as SharedSignatures) };
}

describe('what search threads are told', () => {
  it('are the signatures that there are, with the next call after they changed, once', () => {
    const { signatures, news: told } = news();
    assert.deepEqual(told.tell('first'), {});
    assert.deepEqual(told.begin('first'), { signatures: signatures.held });
    assert.deepEqual(told.tell('first'), {});
    signatures.version++;
    told.begin('second');
    assert.deepEqual(told.tell('first'), { signatures: signatures.held });
    assert.deepEqual(told.tell('first'), {});
    assert.deepEqual(told.tell('second'), {});
  });

  it('is that many search, until all of them have ended', () => {
    const { signatures, news: told } = news();
    told.begin('first');
    told.begin('second');
    assert.ok(signatures.wanted);
    told.crowd();
    assert.deepEqual(told.tell('first'), { crowded: true });
    assert.deepEqual(told.tell('first'), {});
    told.end('first');
    assert.deepEqual(told.tell('first'), {});
    told.begin('first');
    assert.deepEqual(told.tell('first'), { crowded: true });
    told.end('first');
    assert.ok(signatures.wanted);
    told.end('second');
    assert.ok(!signatures.wanted);
    told.begin('second');
    assert.deepEqual(told.tell('second'), {});
  });
});
