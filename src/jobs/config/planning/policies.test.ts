import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PipelineSource } from '../../states.ts';
import { names, type Situation } from '../testing/config.ts';

describe('only and except', () => {
  const inSituations = async (policy: string) => {
    const situations: Record<string, Situation> = {
      branch: { ref: 'main' },
      feature: { ref: 'feature/1' },
      tag: { ref: 'v1', tag: true },
      mr: { ref: 'feature/1', mergeRequest: true, source: 'merge_request_event' },
      schedule: { ref: 'main', source: 'schedule' },
    };
    const found: string[] = [];
    for (const [name, situation] of Object.entries(situations))
      if ((await names(`x: {script: a${policy && `, ${policy}`}}`, situation)).length > 0) found.push(name);
    return found.join(' ');
  };
  const table: [policy: string, where: string][] = [
    ['', 'branch feature tag schedule'],
    ['only: [branches]', 'branch feature schedule'],
    ['only: [tags]', 'tag'],
    ['only: [merge_requests]', 'mr'],
    ['only: [pushes]', 'branch feature tag'],
    ['only: [schedules]', 'schedule'],
    ['only: [main]', 'branch schedule'],
    ['only: [/^feature\\//]', 'feature mr'],
    ['only: [/^FEATURE/i]', 'feature mr'],
    ['only: [branches@group/project]', 'branch feature schedule'],
    ['only: [branches@other/fork]', ''],
    ['except: [main]', 'feature tag'],
    ['except: [schedules, tags]', 'branch feature'],
    ['only: [branches], except: [/^feature/]', 'branch schedule'],
    ['only: {refs: [tags, main]}', 'branch tag schedule'],
    ['only: {variables: ["$NONE"]}', ''],
    ['only: {variables: ["$NONE", "$CI_PROJECT_PATH"]}', 'branch feature tag schedule'],
    ['except: {variables: ["$CI_PROJECT_PATH"]}', ''],
    ['only: {kubernetes: active}', ''],
    ['except: {kubernetes: active}', 'branch feature tag schedule'],
    ['only: []', ''],
  ];
  for (const [policy, where] of table)
    it(`${policy || 'nothing'} lets it into: ${where || 'none'}`, async () =>
      assert.equal(await inSituations(policy), where));

  it('look at what changed', async () => {
    const only = 'x: {script: a, only: {changes: [a/*]}}';
    assert.deepEqual(await names(only, { changed: ['a/b'] }), ['x']);
    assert.deepEqual(await names(only, { changed: ['b'] }), []);
    assert.deepEqual(await names('x: {script: a, except: {changes: [a/*]}}', { changed: ['a/b'] }), []);
  });

  it('are no default where the workflow has rules', async () => {
    const situation: Situation = { mergeRequest: true, source: 'merge_request_event', ref: 'f' };
    assert.deepEqual(await names('workflow: {rules: [{when: always}]}\nx: {script: a}', situation), ['x']);
  });

  for (const [source, keyword] of [
    ['trigger', 'triggers'],
    ['pipeline', 'pipelines'],
    ['web', 'web'],
    ['api', 'api'],
    ['external', 'external'],
    ['chat', 'chat'],
  ] as [PipelineSource, string][])
    it(`know ${keyword}`, async () => {
      assert.deepEqual(await names(`x: {script: a, only: [${keyword}]}`, { source }), ['x']);
      assert.deepEqual(await names(`x: {script: a, only: [${keyword}]}`), []);
    });
});
