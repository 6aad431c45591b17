import type { NoticeReason } from '../../notice.ts';

/** The foot of a mail, in GitLab's words. */
export function footReason(reason: NoticeReason, host: string): string {
  return `You're receiving this email because ${GITLABS_WORDS[reason] ?? 'of your account'} on ${host}.`;
}

const GITLABS_WORDS: Partial<Record<NoticeReason, string>> = {
  own_activity: 'of your activity',
  assigned: 'you have been assigned an item',
  mentioned: 'you have been mentioned',
};

/** Why a line of a digest is there. */
export const LINE_REASONS: Record<NoticeReason, string> = {
  own_activity: 'your own activity',
  assigned: 'assigned to you',
  review_requested: 'your review was asked for',
  mentioned: 'you were mentioned',
  subscribed: 'you have subscribed',
  unassigned: 'no longer yours',
  author: 'you are its author',
  participated: 'you take part',
  started: 'you started it',
  maintains: 'you maintain the project',
  custom: 'an event you have chosen',
  watching: 'you watch the project',
};
