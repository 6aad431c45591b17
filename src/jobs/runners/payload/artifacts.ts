import type { ArtifactsPlan } from '../../config/plan.ts';
import { FORMATS, REPORT_NAMES } from './report-files.ts';

export interface ArtifactPayload {
  name?: string;
  untracked?: boolean;
  paths: string[];
  exclude?: string[];
  when: string;
  expire_in?: string;
  artifact_type: string;
  artifact_format: string;
}

/** What the runner uploads at the end: the archive first, then a file for each report. Null when there is nothing. */
export function artifactsPayload(plan: ArtifactsPlan | null): ArtifactPayload[] | null {
  if (plan === null) return null;
  const all = [...archive(plan), ...plan.reports.map((report) => reportPayload(report, plan.expireIn))];
  return all.length > 0 ? all : null;
}

function archive({ name, untracked, paths, exclude, when, expireIn }: ArtifactsPlan): ArtifactPayload[] {
  if (paths.length === 0 && !untracked) return [];
  return [
    {
      ...(name !== null && { name }),
      untracked,
      paths,
      ...(exclude.length > 0 && { exclude }),
      when,
      ...(expireIn !== null && { expire_in: expireIn }),
      artifact_type: 'archive',
      artifact_format: 'zip',
    },
  ];
}

/** Reports are uploaded whatever became of the job: a failed test run is what they are for. */
function reportPayload(
  { type, paths }: ArtifactsPlan['reports'][number],
  expireIn: string | null,
): ArtifactPayload {
  const name = REPORT_NAMES[type];
  return {
    ...(name !== undefined && { name }),
    paths,
    when: 'always',
    ...(expireIn !== null && { expire_in: expireIn }),
    artifact_type: type,
    artifact_format: FORMATS[type] ?? 'raw',
  };
}
