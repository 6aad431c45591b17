import type { NoticeBase } from '../../notice.ts';
import { begins } from './threads.ts';

/** `Re: Project | Title (#5)`: parts as GitLab joins them, so that its readers' filters go on working. */
export function subjectOf(notice: NoticeBase): string {
  const parts = [notice.project?.name, specificPart(notice)].filter((part) => part);
  return `${answers(notice) ? 'Re: ' : ''}${parts.join(' | ')}`;
}

function answers(notice: NoticeBase): boolean {
  const { type } = notice.thing;
  return type !== 'Pipeline' && type !== 'Project' && !begins(notice);
}

const PIPELINES: Partial<Record<NoticeBase['kind'], string>> = {
  failed_pipeline: 'Failed',
  fixed_pipeline: 'Fixed',
  success_pipeline: 'Successful',
};

function specificPart({ kind, thing, act }: NoticeBase): string {
  if (kind === 'moved_project') return 'Project was moved';
  const outcome = PIPELINES[kind];
  const sha = thing.sha?.slice(0, 8) ?? '';
  if (outcome !== undefined) return `${outcome} pipeline for ${act.sourceBranch ?? act.ref ?? ''} | ${sha}`;
  return `${thing.title} (${thing.reference})`;
}
