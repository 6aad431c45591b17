import type { RefOrigin } from './ref-updates.ts';

/** A branch, a tag or any other ref came, went or points somewhere else. Exactly one of the two ids may be null. */
export interface RefMoved {
  projectId: number;
  /** Full name, `refs/heads/main`. */
  ref: string;
  /** null: the ref is new. */
  oldOid: string | null;
  /** null: the ref is gone. */
  newOid: string | null;
  origin: RefOrigin;
}

declare module '../../platform/events/event.ts' {
  interface EventTypes {
    /** In the stream `project:<id>`, in the order in which the refs moved. */
    'ref.moved': RefMoved;
    /** The same of the project's wiki, `projects/wiki.ts`. */
    'wiki.moved': RefMoved;
  }
}
