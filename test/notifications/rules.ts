/** Whom mail reaches, as GitLab's documentation and the recorded behaviour have it; written without a look at the service. */

export const SETTINGS = [
  'disabled',
  'mention',
  'participating',
  'watch',
  'global',
  'custom with all events',
  'custom with no event',
  'custom without a choice',
] as const;
export type Setting = (typeof SETTINGS)[number];

/** How somebody has to do with the thing. */
export const RELATIONS = [
  'author',
  'assignee',
  'reviewer',
  'former assignee',
  'former reviewer',
  'named in the description',
  'commented before',
  'named in the new note',
  'member who has to do with nothing',
  'subscriber',
  'commented before, unsubscribed',
  'named in the new note, unsubscribed',
  'does it, commented before',
  'does it, commented before, wants to be told of it',
] as const;
export type Relation = (typeof RELATIONS)[number];

const TAKES_PART: readonly Relation[] = [
  'author',
  'assignee',
  'reviewer',
  'named in the description',
  'commented before',
];

interface Rule {
  /** Reached at level `mention`, and so at all but `disabled`. */
  named: readonly Relation[];
  /** Why they are, by the header; others have no reason in it. */
  reasons?: Partial<Record<Relation, string>>;
  /** False: level `watch` keeps it even from who takes part. */
  watched: boolean;
}

const NEW: Rule = {
  named: ['named in the description'],
  reasons: { assignee: 'assigned', 'named in the description': 'mentioned' },
  watched: true,
};
const REASSIGNED: Rule = {
  named: ['assignee', 'former assignee'],
  reasons: { assignee: 'assigned' },
  watched: true,
};
const STATE: Rule = { named: [], watched: true };
const QUIET: Rule = { named: [], watched: false };

export const RULES = {
  new_issue: NEW,
  new_merge_request: NEW,
  new_note: {
    named: ['named in the new note', 'named in the new note, unsubscribed'],
    reasons: {
      'named in the new note': 'mentioned',
      'named in the new note, unsubscribed': 'mentioned',
    },
    watched: true,
  },
  reassign_issue: REASSIGNED,
  reassign_merge_request: REASSIGNED,
  change_reviewer_merge_request: {
    named: ['reviewer', 'former reviewer'],
    reasons: { reviewer: 'review_requested' },
    watched: true,
  },
  close_issue: STATE,
  reopen_issue: STATE,
  close_merge_request: STATE,
  reopen_merge_request: STATE,
  merge_merge_request: STATE,
  push_to_merge_request: QUIET,
  issue_due: QUIET,
} satisfies Record<string, Rule>;
export type TableKind = keyof typeof RULES;

/** The header's reason where mail goes out, '' for mail without one, null for no mail. */
export function expected(kind: TableKind, relation: Relation, setting: Setting): string | null {
  const rule: Rule = RULES[kind];
  // whose deed it is: the author's for something new, nobody's for a date
  const acting =
    kind === 'issue_due' ? null : kind.startsWith('new_') && kind !== 'new_note' ? 'author' : 'does it';
  if (relation === acting) return null;
  if (relation === 'does it, commented before' && acting === 'does it') return null;
  if (relation === 'subscriber') return 'subscribed';
  const own = acting === 'does it' && relation === 'does it, commented before, wants to be told of it';
  const named = rule.named.includes(relation);
  const left = relation.endsWith('unsubscribed') && !named;
  const takesPart = named || TAKES_PART.includes(relation) || relation.startsWith('does it');
  if (left || !reaches(setting, { rule, named, takesPart })) return null;
  return own ? 'own_activity' : (rule.reasons?.[relation] ?? '');
}

function reaches(
  setting: Setting,
  { rule, named, takesPart }: { rule: Rule; named: boolean; takesPart: boolean },
): boolean {
  switch (setting) {
    case 'disabled':
    case 'global':
      return false;
    case 'mention':
      return named;
    case 'participating':
    case 'custom with no event':
    case 'custom without a choice':
      return takesPart;
    case 'watch':
      return rule.watched;
    case 'custom with all events':
      return true;
  }
}

/** Pipelines are told to who started them. */
export const PIPELINE_RULES: Record<string, readonly Setting[]> = {
  failed_pipeline: ['participating', 'watch', 'custom with all events', 'custom without a choice'],
  fixed_pipeline: ['participating', 'watch', 'custom with all events', 'custom without a choice'],
  success_pipeline: ['custom with all events'],
};
