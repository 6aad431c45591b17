import type { Notice } from '../../notice.ts';

/** What readers can unsubscribe from, as in GitLab: issues and merge requests. */
export function unsubscribable({ thing }: Pick<Notice, 'thing'>): { type: string; id: number } | null {
  const can = thing.id !== null && (thing.type === 'Issue' || thing.type === 'MergeRequest');
  return can ? { type: thing.type, id: thing.id! } : null;
}
