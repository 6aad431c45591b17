import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OneATurn } from './one-a-turn.ts';

describe('searches', () => {
  it('begin at once when no other did in this turn', async () => {
    const turns = new OneATurn();
    assert.equal(turns.enter(), undefined);
    await nextTurn();
    assert.equal(turns.enter(), undefined);
  });

  it('begin one in each turn otherwise, in the order in which they came, and others run between them', async () => {
    const turns = new OneATurn();
    const happened: string[] = [];
    const search = async (name: string) => {
      await turns.enter();
      happened.push(name);
    };
    const searches = ['one', 'two', 'three'].map(search);
    for (let turn = 1; turn <= 3; turn++) {
      happened.push(`turn ${turn}`);
      await nextTurn();
    }
    await Promise.all(searches);
    assert.deepEqual(
      happened.filter((what) => !what.startsWith('turn')),
      ['one', 'two', 'three'],
    );
    assert.ok(happened.indexOf('turn 2') < happened.indexOf('three'));
    assert.ok(happened.indexOf('turn 1') < happened.indexOf('two'));
  });
});
