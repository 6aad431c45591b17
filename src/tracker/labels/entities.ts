import { escapeHtml } from '../../platform/html.ts';
import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { textColorOn } from './color.ts';
import type { LabelRow } from './tables.ts';

/** `labels` of issues and merge requests where `with_labels_details` asks for more than names. */
export const LabelDetails = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    description_html: nullable(Type.String()),
    text_color: Type.String(),
    color: Type.String(),
    archived: Type.Boolean(),
  },
  { $id: 'LabelDetails' },
);

const counts = {
  open_issues_count: Type.Optional(Type.Integer()),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
};

export const GroupLabel = Type.Object(
  { ...LabelDetails.properties, subscribed: Type.Boolean(), ...counts },
  { $id: 'GroupLabel' },
);

export const ProjectLabel = Type.Object(
  {
    ...GroupLabel.properties,
    priority: nullable(Type.Integer()),
    is_project_label: Type.Boolean(),
  },
  { $id: 'Label' },
);

export type LabelCounts = Required<{ [K in keyof typeof counts]: number }>;

export function presentLabelDetails(label: LabelRow): Static<typeof LabelDetails> {
  return {
    id: label.id,
    name: label.name,
    description: label.description,
    description_html: label.description === null ? null : escapeHtml(label.description),
    text_color: textColorOn(label.color),
    color: label.color,
    archived: false,
  };
}

interface LabelUse {
  counted: LabelCounts | undefined;
  /** Whether the caller hears of what gets this label. */
  subscribed: boolean;
}

export const presentGroupLabel = (
  label: LabelRow,
  { counted, subscribed }: LabelUse,
): Static<typeof GroupLabel> => ({ ...presentLabelDetails(label), ...counted, subscribed });

export const presentProjectLabel = (
  label: LabelRow,
  { priority, ...use }: LabelUse & { priority: number | undefined },
): Static<typeof ProjectLabel> => ({
  ...presentGroupLabel(label, use),
  priority: priority ?? null,
  is_project_label: label.project_id !== null,
});
