import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ApiError, fail, registry } from './errors.ts';

/** `| code | status | shape | text |` rows of the reference page. */
function documented(): Map<string, string> {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (\w+) \| (.*) \|$/gm)];
  return new Map(rows.map(([, code, status, shape, text]) => [code ?? '', `${status} ${shape} ${text}`]));
}

describe('the registry of errors', () => {
  it('is what docs/errors.md says, row for row in both directions', () => {
    const expected = Object.entries(registry).map(
      ([code, { status, shape, template }]) => [code, `${status} ${shape} ${template}`] as const,
    );
    assert.deepEqual([...documented()].sort(), expected.sort());
  });

  it('gives bodies in GitLab’s shapes', () => {
    assert.deepEqual(fail.notFound('Project').body, { message: '404 Project Not Found' });
    assert.deepEqual(fail.params('a is missing').body, { error: 'a is missing' });
    assert.deepEqual(fail.invalid({ name: ['is bad'] }).body, { message: { name: ['is bad'] } });
    assert.deepEqual(new ApiError('rate_limited').body, {
      message: { error: 'This endpoint has been requested too many times. Try again later.' },
    });
    assert.deepEqual(new ApiError('token_revoked').body, {
      error: 'invalid_token',
      error_description: 'Token was revoked. You have to re-authorize from the user.',
    });
    assert.deepEqual(fail.refused('No', { body: { error_code: 'conflict' } }).body, {
      message: 'No',
      error_code: 'conflict',
    });
  });

  it('fills a template with nothing but the values given', () => {
    assert.equal(fail.badRequest('{reason} $& $1').message, '400 Bad request - {reason} $& $1');
  });
});
