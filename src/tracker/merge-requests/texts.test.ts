import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countTasks, isDraftTitle } from './texts.ts';

describe('a draft', () => {
  for (const title of ['Draft: x', 'draft: x', '[Draft] x', '(draft) x', 'Draft - x'])
    it(`is one called ${JSON.stringify(title)}`, () => assert.ok(isDraftTitle(title)));
  for (const title of ['x', 'Drafty: x', 'Fix draft: x', 'Draftx', 'WIP: x'])
    it(`is not one called ${JSON.stringify(title)}`, () => assert.ok(!isDraftTitle(title)));
});

describe('the tasks of a description', () => {
  it('are counted, ticked ones too', () => {
    const text = '- [ ] one\n* [x] two\n1. [X] three\n> - [ ] four\n';
    assert.deepEqual(countTasks(text), { count: 4, completed_count: 2 });
  });
  it('are not what only looks like them', () => {
    assert.deepEqual(countTasks('[ ] a\n-[ ] b\n- [y] c\n- [ ]\n'), { count: 0, completed_count: 0 });
    assert.deepEqual(countTasks('```\n- [ ] code\n```\n- [x] real'), { count: 1, completed_count: 1 });
    assert.deepEqual(countTasks(null), { count: 0, completed_count: 0 });
  });
});
