import type { NoticeBase } from '../../notice.ts';

const NOUNS: Record<NoticeBase['thing']['type'], string> = {
  Issue: 'issue',
  MergeRequest: 'merge request',
  Commit: 'commit',
  Snippet: 'snippet',
  Pipeline: 'pipeline',
  Project: 'project',
};

/** `merge request !7` */
export const nameOfThing = ({ thing }: Pick<NoticeBase, 'thing'>): string =>
  `${NOUNS[thing.type]} ${thing.reference}`.trim();

/** What has happened, as one sentence of plain text without its full stop: names and titles in it come from people. */
export function sentenceOf(notice: NoticeBase): string {
  const { act } = notice;
  const thing = nameOfThing(notice);
  const by = (did: string) => (notice.actor ? `${notice.actor.name} ${did}` : `Somebody ${did}`);
  switch (notice.kind) {
    case 'new_note':
      return by(`commented on ${thing}${placeOf(notice)}`);
    case 'new_issue':
    case 'new_merge_request':
      return by(`created ${thing}`);
    case 'reopen_issue':
    case 'reopen_merge_request':
      return by(`reopened ${thing}`);
    case 'close_issue':
    case 'close_merge_request':
      return by(`closed ${thing}${act.by === undefined ? '' : ` with ${act.by}`}`);
    case 'merge_merge_request':
      return by(`merged ${thing}`);
    case 'reassign_issue':
    case 'reassign_merge_request':
      return by(`changed the assignees of ${thing}`);
    case 'change_reviewer_merge_request':
      return by(`changed the reviewers of ${thing}`);
    case 'issue_due':
      return `${capital(thing)} is due on ${act.dueDate ?? 'the next day'}`;
    case 'push_to_merge_request':
      return by(`pushed ${commits(act.commitCount ?? act.commits?.length ?? 0)} to ${thing}`);
    case 'failed_pipeline':
      return `${capital(thing)}${forRef(notice)} has failed`;
    case 'fixed_pipeline':
      return `${capital(thing)}${forRef(notice)} has succeeded again`;
    case 'success_pipeline':
      return `${capital(thing)}${forRef(notice)} has succeeded`;
    case 'moved_project':
      return `Project ${act.from ?? ''} was moved to ${act.to ?? notice.project?.path ?? ''}`;
    case 'merge_when_pipeline_succeeds':
      return by(`set ${thing} to be merged when its pipeline succeeds`);
    case 'mentioned_in_issue':
    case 'mentioned_in_merge_request':
      return by(`mentioned you in ${thing}`);
    case 'relabel_issue':
    case 'relabel_merge_request':
      return by(`changed the labels of ${thing}`);
    case 'change_milestone_issue':
    case 'change_milestone_merge_request':
      return by(
        act.milestone == null
          ? `removed the milestone of ${thing}`
          : `set the milestone of ${thing} to ${act.milestone}`,
      );
    case 'change_draft_merge_request':
      return by(`marked ${thing} as ${act.draft ? 'draft' : 'ready'}`);
    case 'approve_merge_request':
      return by(`approved ${thing}`);
    case 'unapprove_merge_request':
      return by(`took back the approval of ${thing}`);
    case 'resolve_all_discussions':
      return by(`resolved all threads of ${thing}`);
    case 'move_issue':
      return by(`moved ${thing}${act.to === undefined ? '' : ` to ${act.to}`}`);
    case 'clone_issue':
      return by(`cloned ${thing}${act.to === undefined ? '' : ` to ${act.to}`}`);
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const commits = (count: number) => (count === 1 ? 'a commit' : `${count} commits`);

function placeOf({ act: { position } }: NoticeBase): string {
  if (position === undefined) return '';
  return ` in ${position.path}${position.line === null ? '' : `:${position.line}`}`;
}

function forRef({ act: { ref, sourceBranch, by } }: NoticeBase): string {
  const name = sourceBranch ?? ref;
  return name === undefined ? '' : ` for ${name}${by === undefined ? '' : ` (${by})`}`;
}

/** What else there is to say, line by line: a name, and what it is now. */
export function detailsOf({ kind, act }: NoticeBase): [string, string][] {
  const lines: [string, string[] | undefined][] = [
    ['Assignees', act.assignees],
    ['Reviewers', act.reviewers],
    ['Source branch', kind.endsWith('_pipeline') ? undefined : asList(act.sourceBranch)],
    ['Target branch', asList(act.targetBranch)],
    [kind.startsWith('relabel') ? 'Labels added' : 'Now', act.added],
    [kind.startsWith('relabel') ? 'Labels removed' : 'No longer', act.removed],
  ];
  return lines.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [[name, values.join(', ')]],
  );
}

const asList = (value: string | undefined) => (value === undefined ? undefined : [value]);
