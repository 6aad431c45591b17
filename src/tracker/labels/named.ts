import { traversalIds } from '../../core/access/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { LabelChange, Labelled } from './links-store.ts';
import { loadLabels, replaceLabels } from './links-store.ts';
import { availableLabels, insertLabelsOnce } from './store.ts';
import './tables.ts';

/** Where labels are looked for, and made: the project, and the groups above it. */
type Place = Pick<ProjectWithNamespace, 'id' | 'traversal'>;

export interface Naming {
  /** Whether the caller may make labels: without, names that the project does not know are left out, as in GitLab. */
  create: boolean;
  now: number;
}

/** What a request says about labels; `labels` replaces, the other two change what is there. */
export interface LabelInput {
  labels?: string[] | null | undefined;
  add_labels?: string[] | null | undefined;
  remove_labels?: string[] | null | undefined;
}

/** GitLab's limit on the length of a name, and more than it lets one thing have. */
const MAX_NAME = 255;
const MAX_LABELS = 500;

/** The colour of a label that was made by naming it. */
export const DEFAULT_COLOR = '#6699cc';

/** Ids of the labels of these names, of the project or of a group above; the project gets those that nobody knows. */
export async function labelIdsNamed(
  tx: Tx,
  project: Place,
  names: readonly string[],
  { create, now }: Naming,
): Promise<number[]> {
  const wanted = [...new Set(names)].filter((name) => name.length <= MAX_NAME).slice(0, MAX_LABELS);
  if (wanted.length === 0) return [];
  const groupIds = traversalIds(project.traversal);
  const known = await availableLabels(tx, { projectId: project.id, groupIds }, wanted);
  const missing = wanted.filter((name) => !known.has(name));
  if (!create || missing.length === 0) return [...known.values()];
  await insertLabelsOnce(
    tx,
    missing.map((name) => ({
      project_id: project.id,
      name,
      color: DEFAULT_COLOR,
      created_at: now,
      updated_at: now,
    })),
  );
  return [...(await availableLabels(tx, { projectId: project.id, groupIds }, wanted)).values()];
}

/** Puts labels on an issue or a merge request as a request says; undefined when it says nothing about them. */
export async function relabel(
  tx: Tx,
  on: { kind: Labelled; id: number; project: Place },
  input: LabelInput,
  naming: Naming,
): Promise<LabelChange | undefined> {
  const { labels, add_labels: add, remove_labels: remove } = input;
  if (!labels && !add?.length && !remove?.length) return undefined;
  const before = labels ?? (await loadLabels(tx, on.kind, [on.id])).get(on.id)?.map(({ name }) => name) ?? [];
  const names = [...before.filter((name) => !remove?.includes(name)), ...(add ?? [])];
  return replaceLabels(tx, on.kind, on.id, await labelIdsNamed(tx, on.project, names, naming));
}
