import type { Notice } from './notice.ts';
import type { Announcement } from './tell.ts';

/** A comment by Ann on an issue, for tests; every part can be another. */
export function aNotice(changes: Partial<Notice> = {}): Notice {
  return {
    eventId: 1,
    kind: 'new_note',
    userId: 1,
    reason: 'mentioned',
    delivery: 'immediate',
    actor: { id: 2, username: 'ann', name: 'Ann Other' },
    project: {
      id: 42,
      path: 'group/sub/app',
      name: 'App',
      fullName: 'Group / Sub / App',
      url: 'https://ingot.test/group/sub/app',
      groupIds: [8, 7],
    },
    thing: {
      type: 'Issue',
      id: 77,
      iid: 5,
      sha: null,
      title: 'Broken door',
      url: 'https://ingot.test/group/sub/app/-/issues/5',
      reference: '#5',
      state: 'opened',
      confidential: false,
      author: { id: 2, username: 'ann', name: 'Ann Other' },
    },
    act: {
      text: 'Have **you** seen it?',
      url: 'https://ingot.test/group/sub/app/-/issues/5#note_9',
    },
    noteId: 9,
    discussionId: null,
    earlierNoteIds: [],
    at: 1_700_000_000_000,
    ...changes,
  };
}

/** As it is told to this one reader. */
export const announced = (
  { userId, reason, delivery, ...notice }: Notice,
  address = 'bob@example.com',
): Announcement => ({ notice, receivers: [{ userId, reason, delivery, address }] });

/** A pipeline of its reader's own. */
export const aPipelineNotice = (changes: Partial<Notice> = {}): Notice =>
  aNotice({
    kind: 'failed_pipeline',
    reason: 'started',
    actor: null,
    noteId: null,
    thing: {
      type: 'Pipeline',
      id: 31,
      iid: 3,
      sha: 'abcdef0123456789abcdef0123456789abcdef01',
      title: '',
      url: 'https://ingot.test/group/sub/app/-/pipelines/31',
      reference: '#31',
      state: 'failed',
      confidential: null,
      author: null,
    },
    act: { ref: 'main' },
    ...changes,
  });
