import { Answer } from '../../platform/http/answer.ts';

/** The two routes that everything to subscribe to has. */
export const ACTIONS = [
  { action: 'subscribe', subscribed: true },
  { action: 'unsubscribe', subscribed: false },
] as const;

/** What GitLab answers where there is nothing to change. */
export const unchanged = () => new Answer(304, undefined);
