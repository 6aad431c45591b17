import { type FieldErrors, fail } from '../../platform/errors.ts';
import { optional, param } from '../../platform/http/params.ts';
import type { RunnerAccessLevel, RunnerRow } from './tables.ts';
import { ACCESS_LEVELS } from './tables.ts';

/** What may be said of a runner when it is made and when it is changed. */
export const runnerFieldParams = {
  description: optional(param.string()),
  maintenance_note: optional(param.string({ description: 'For those who look after it.' })),
  paused: optional(param.boolean({ description: 'Whether it is given no jobs.' })),
  active: optional(param.boolean({ description: 'The opposite of `paused`.' })),
  locked: optional(param.boolean({ description: 'Whether it stays with the projects that it has.' })),
  access_level: optional(
    param.oneOf(ACCESS_LEVELS, { description: '`ref_protected`: only jobs of protected branches and tags.' }),
  ),
  run_untagged: optional(param.boolean()),
  tag_list: optional(param.csv()),
  maximum_timeout: optional(param.integer({ description: 'Seconds that a job of it may take at most.' })),
};

/** Two words for the same, of which a call may use one. */
export const exclusiveFields = [['active', 'paused']];

export interface RunnerFields {
  description?: string | null | undefined;
  maintenance_note?: string | null | undefined;
  paused?: boolean | null | undefined;
  active?: boolean | null | undefined;
  locked?: boolean | null | undefined;
  access_level?: RunnerAccessLevel | null | undefined;
  run_untagged?: boolean | null | undefined;
  tag_list?: string[] | null | undefined;
  maximum_timeout?: number | null | undefined;
}

type Columns = Partial<
  Pick<
    RunnerRow,
    | 'description'
    | 'maintenance_note'
    | 'paused'
    | 'locked'
    | 'access_level'
    | 'run_untagged'
    | 'tags'
    | 'maximum_timeout'
  >
>;

const flag = (value: boolean) => (value ? 1 : 0);

/** The columns that the fields set; what is absent stays as it is. */
export function columnsOf(fields: RunnerFields): Columns {
  const paused = fields.paused ?? (fields.active == null ? null : !fields.active);
  return {
    ...(fields.description !== undefined && { description: fields.description || null }),
    ...(fields.maintenance_note !== undefined && { maintenance_note: fields.maintenance_note || null }),
    ...(paused !== null && { paused: flag(paused) }),
    ...(fields.locked != null && { locked: flag(fields.locked) }),
    ...(fields.access_level != null && { access_level: fields.access_level }),
    ...(fields.run_untagged != null && { run_untagged: flag(fields.run_untagged) }),
    ...(fields.tag_list != null && { tags: tagsText(fields.tag_list) }),
    ...(fields.maximum_timeout !== undefined && { maximum_timeout: fields.maximum_timeout }),
  };
}

/** As jobs have theirs: each tag once, sorted, so that equal sets are equal texts. */
export const tagsText = (tags: readonly string[]): string =>
  JSON.stringify([...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))].sort());

export const tagsOf = ({ tags }: { tags: string }): string[] => JSON.parse(tags) as string[];

const MAX_TEXT = 1024;
const MAX_TAGS = 50;
const MAX_TAG = 255;
const LEAST_TIMEOUT_S = 600;
const MAX_INT = 2 ** 31 - 1;

type Checked = Required<Pick<Columns, 'run_untagged' | 'tags'>> & Columns;

/** Throws 400 in GitLab's words for a runner that would not do. */
export function checkRunner(row: Checked): void {
  const tags = tagsOf({ tags: row.tags ?? '[]' });
  const timeout = row.maximum_timeout ?? null;
  const tooLong = (text: string | null | undefined) =>
    (text?.length ?? 0) > MAX_TEXT ? [`is too long (maximum is ${MAX_TEXT} characters)`] : [];
  const problems: FieldErrors = {
    description: tooLong(row.description),
    maintenance_note: tooLong(row.maintenance_note),
    tags_list: [
      ...(row.run_untagged === 0 && tags.length === 0
        ? ['can not be empty when runner is not allowed to pick untagged jobs']
        : []),
      ...(tags.length > MAX_TAGS
        ? [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`]
        : []),
      ...(tags.some((tag) => tag.length > MAX_TAG) ? [`is too long (maximum is ${MAX_TAG} characters)`] : []),
    ],
    maximum_timeout: [
      ...(timeout !== null && timeout < LEAST_TIMEOUT_S ? ['needs to be at least 10 minutes'] : []),
      ...(timeout !== null && timeout > MAX_INT ? [`must be less than or equal to ${MAX_INT}`] : []),
    ],
  };
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0);
  if (found.length > 0) throw fail.invalid(Object.fromEntries(found));
}
