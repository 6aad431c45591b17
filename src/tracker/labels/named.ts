import { traversalIds } from '../../core/access/store.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { LabelChange, Labelled } from './links-store.ts';
import { loadLabels, replaceLabels } from './links-store.ts';
import { insertLabelsOnce, type LabelScope, labelsByName } from './store.ts';
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

/** GitLab's limit. */
export const MAX_NAME = 255;
/** More labels than anything has: each new one costs a row. */
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
  const known = await labelsByName(tx, scopeOf(project), wanted);
  const missing = create ? wanted.filter((name) => !known.has(name)) : [];
  if (missing.length > 0)
    await insertLabelsOnce(
      tx,
      missing.map((name) => named(name, project.id, now)),
    );
  const labels = missing.length > 0 ? await labelsByName(tx, scopeOf(project), wanted) : known;
  return [...labels.values()].map(({ id }) => id);
}

const named = (name: string, projectId: number, now: number) => ({
  project_id: projectId,
  name,
  color: DEFAULT_COLOR,
  created_at: now,
  updated_at: now,
});

/** Where a project's labels are: in itself and in every group above. */
export const scopeOf = (project: Place): LabelScope => ({
  projectId: project.id,
  groupIds: traversalIds(project.traversal),
});

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
