import { isoTime } from '../core/entities.ts';
import { newlyMentioned } from '../core/mentions/names.ts';
import { timestamp } from '../platform/http/params.ts';
import { Type } from '../platform/http/schema.ts';

/** What issues and merge requests have alike, in every view of them; GitLab calls both issuables. */
export const issuableFields = {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
};

interface Issuable {
  id: number;
  iid: number;
  project_id: number;
  title: string;
  description: string | null;
  state: string;
  created_at: number;
  updated_at: number;
}

/** Names of users and groups in the texts that were not there before: they are told of the edit. */
export const newlyNamed = (before: Texts, after: Texts): string[] =>
  newlyMentioned(wordsOf(before), wordsOf(after));

type Texts = Pick<Issuable, 'title'> & { description: string | null };

const wordsOf = ({ title, description }: Texts): string => `${title}\n\n${description ?? ''}`;

export const presentIssuable = (row: Issuable) => ({
  id: row.id,
  iid: row.iid,
  project_id: row.project_id,
  title: row.title,
  description: row.description ?? '',
  state: row.state,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});
