import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProgressLine, progressText } from './progress-line.ts';
import { NO_INDEX, type SearchStatus } from './status.ts';

const running = {
  project_id: 7,
  wiki: false,
  what: 'files' as const,
  done: 1500,
  total: 3000,
  seconds: 12,
  seconds_left: 12,
};
const status = (changes: Partial<SearchStatus>): SearchStatus => ({ ...NO_INDEX, enabled: true, ...changes });

describe('the progress of `ingot index`', () => {
  it('is a bar over all projects, with what is being read now', () => {
    const half = progressText(status({ pending_projects: 1, running: [running] }), 1);
    assert.equal(
      half,
      '[###############---------------] 50 %  1 to go  project 7: 1,500 of 3,000 files, 12 s left',
    );
    const begun = { ...running, wiki: true, done: 0, total: 0, seconds_left: null };
    const three = progressText(status({ pending_projects: 3, running: [begun] }), 4);
    assert.match(three, /^\[#{8}-{22}\] 25 % {2}3 to go {2}project 7 \(wiki\): 0 of 0 files$/);
    assert.match(progressText(status({}), 0), / 0 % {2}0 to go$/);
  });

  it('ends with what is indexed, and with what is not and why', () => {
    let written = '';
    const out = { isTTY: false, write: (text: string) => (written += text) } as unknown as NodeJS.WriteStream;
    const line = new ProgressLine(out);
    assert.equal(
      line.end(status({ indexed_blobs: 1234, indexed_projects: 2, bytes: 3 * 1024 * 1024 })),
      true,
    );
    assert.equal(written, '1,234 distinct files of 2 projects are indexed, in 3.0 MiB.\n');
    written = '';
    const failing = { project_id: 9, wiki: false, attempts: 3, error: 'a bad disk', next_attempt_at: 0 };
    assert.equal(line.end(status({ pending_projects: 1, failing: [failing] })), false);
    assert.match(written, /1 projects are not indexed yet\.\nproject 9 failed 3 times: a bad disk\n$/);
  });
});
