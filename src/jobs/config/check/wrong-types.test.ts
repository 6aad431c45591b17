import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../testing/config.ts';

describe('values of wrong types everywhere', () => {
  const keys = [
    ...[
      'stage',
      'only',
      'except',
      'rules',
      'variables',
      'inherit',
      'allow_failure',
      'when',
      'start_in',
      'needs',
    ],
    ...[
      'resource_group',
      'environment',
      'parallel',
      'interruptible',
      'manual_confirmation',
      'script',
      'image',
    ],
    ...[
      'services',
      'before_script',
      'after_script',
      'tags',
      'artifacts',
      'cache',
      'retry',
      'timeout',
      'hooks',
    ],
    ...['dependencies', 'coverage', 'release', 'extends', 'trigger'],
  ];
  const values = [
    ...[
      '1',
      '-1',
      '1.5',
      'true',
      '~',
      '""',
      'word',
      '[]',
      '{}',
      '[[]]',
      '[~]',
      '[1]',
      '[true]',
      '[{}]',
      '[[a]]',
    ],
    ...[
      '{a: }',
      '{a: {b: [c]}}',
      '{name: {}}',
      '{"": }',
      '.inf',
      '99999999999999999999',
      '{__proto__: {a: b}}',
    ],
    ...[
      '{matrix: [[]]}',
      '{paths: [[a]]}',
      '{files: }',
      '{max: x, when: 1}',
      '{reports: [a]}',
      '{rules: [~]}',
    ],
  ];
  for (const key of keys)
    it(`of ${key} are told or taken, never thrown`, async () => {
      for (const value of values) {
        for (const text of [`x: {script: a, ${key}: ${value}}`, `${key}: ${value}\nx: {script: a}`]) {
          const { config, errors } = await read(text);
          assert.equal(config === null, errors.length > 0, text);
          assert.ok(
            errors.every((error) => error.length > 0 && !error.includes('[object')),
            text,
          );
        }
      }
    });

  it('of inner keys are told or taken, never thrown', async () => {
    const outer = [
      'image',
      'artifacts',
      'cache',
      'retry',
      'environment',
      'release',
      'trigger',
      'rules',
      'needs',
    ];
    const inner = [
      ...[
        'name',
        'paths',
        'key',
        'max',
        'when',
        'files',
        'reports',
        'if',
        'changes',
        'exists',
        'include',
        'job',
      ],
      ...[
        'matrix',
        'variables',
        'url',
        'project',
        'forward',
        'docker',
        'pull_policy',
        'exit_codes',
        'parallel',
      ],
    ];
    for (const key of outer)
      for (const name of inner)
        for (const value of values) {
          const one = `{${name}: ${value}}`;
          const text = `x: {script: a, ${key}: ${key === 'rules' || key === 'needs' ? `[${one}]` : one}}`;
          const { config, errors } = await read(text);
          assert.equal(config === null, errors.length > 0, text);
        }
  });
});
