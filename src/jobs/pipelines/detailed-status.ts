import type { Project } from '../../core/tables.ts';
import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { JobStatus } from '../states.ts';
import type { PipelineRow } from '../tables.ts';

/** What a page draws: icon, words and link of a status. */
export const DetailedStatus = Type.Object(
  {
    icon: Type.String(),
    text: Type.String(),
    label: Type.String(),
    group: Type.String(),
    tooltip: Type.String(),
    has_details: Type.Boolean(),
    details_path: Type.String(),
    illustration: nullable(Type.Object({})),
    favicon: Type.String(),
  },
  { $id: 'DetailedStatus' },
);

interface Look {
  text: string;
  label: string;
  /** Where icon and group are not called as the status is. */
  icon?: string;
}

const LOOKS: Record<JobStatus, Look> = {
  created: { text: 'Created', label: 'created' },
  waiting_for_resource: { text: 'Waiting', label: 'waiting for resource', icon: 'waiting-for-resource' },
  preparing: { text: 'Preparing', label: 'preparing' },
  waiting_for_callback: { text: 'Waiting', label: 'waiting for callback', icon: 'waiting-for-callback' },
  pending: { text: 'Pending', label: 'pending' },
  running: { text: 'Running', label: 'running' },
  success: { text: 'Passed', label: 'passed' },
  failed: { text: 'Failed', label: 'failed' },
  canceling: { text: 'Canceling', label: 'canceling' },
  canceled: { text: 'Canceled', label: 'canceled' },
  skipped: { text: 'Skipped', label: 'skipped' },
  manual: { text: 'Blocked', label: 'waiting for manual action' },
  scheduled: { text: 'Delayed', label: 'waiting for delayed job' },
};

/** All that counts went well, and something that may fail did not. */
const WARNED = { icon: 'status_warning', text: 'Warning', label: 'passed with warnings' };

/** @param warned whether a job that may fail did */
export function presentDetailedStatus(
  pipeline: Pick<PipelineRow, 'id' | 'status'>,
  project: Pick<Project, 'full_path'>,
  warned: boolean,
): Static<typeof DetailedStatus> {
  const { text, label, icon = pipeline.status } = LOOKS[pipeline.status];
  const file = icon.replaceAll('-', '_');
  const isWarned = warned && pipeline.status === 'success';
  return {
    icon: `status_${file === 'waiting_for_resource' || file === 'waiting_for_callback' ? 'pending' : file}`,
    text,
    label,
    ...(isWarned && WARNED),
    group: isWarned ? 'success-with-warnings' : icon,
    tooltip: isWarned ? WARNED.label : label,
    has_details: true,
    details_path: `/${project.full_path}/-/pipelines/${pipeline.id}`,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${file}.png`,
  };
}
