import type { NoticeBase } from '../../notice.ts';
import type { LinkedThing } from '../../unsubscribe/links.ts';

/** What the reader of a notice can unsubscribe from; null where there is nothing. */
export function unsubscribable({ thing: { type, id } }: Pick<NoticeBase, 'thing'>): LinkedThing | null {
  return id !== null && (type === 'Issue' || type === 'MergeRequest') ? { type, id } : null;
}
