/**
 * The events that level `custom` switches one by one, in the order of GitLab's answers. A row keeps them as bits by their
 * place in this list: add new ones at its end, and never take one out.
 */
export const EVENT_NAMES = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/** Which events somebody has chosen, and which of those he chose to have: a bit for each place in `EVENT_NAMES`. */
export interface EventBits {
  readonly chosen: number;
  readonly on: number;
}

/** What a call asks for: what is left out stays, null takes a choice back. */
export type EventChanges = { [K in EventName]?: boolean | null | undefined };

export const NOTHING_CHOSEN: EventBits = { chosen: 0, on: 0 };

const BITS = Object.fromEntries(EVENT_NAMES.map((name, place) => [name, 2 ** place])) as Record<
  EventName,
  number
>;

/** Columns of GitLab's that cannot be empty: what they are where nobody chose. */
const FIXED_DEFAULTS: { [K in EventName]?: boolean } = {
  moved_project: true,
  merge_when_pipeline_succeeds: false,
};

/** The stored choice; null where nobody made one. */
export function choiceOf(bits: EventBits, name: EventName): boolean | null {
  const bit = BITS[name];
  if ((bits.chosen & bit) === 0) return FIXED_DEFAULTS[name] ?? null;
  return (bits.on & bit) !== 0;
}

/** Where no choice means on: whoever started a pipeline wants to know that it failed, or works again. */
const ON_WITHOUT_CHOICE: ReadonlySet<EventName> = new Set(['failed_pipeline', 'fixed_pipeline']);

/** Whether mail goes out for an event at level `custom`, to one who neither takes part nor is named. */
export function isEventOn(bits: EventBits, name: EventName): boolean {
  if (name === 'fixed_pipeline' && choiceOf(bits, 'success_pipeline') === true) return true;
  return choiceOf(bits, name) ?? ON_WITHOUT_CHOICE.has(name);
}

/** Changes as the two masks that a row is updated with: `chosen = (chosen & ~touched) | chosen'`. */
export function bitsOfChanges(changes: EventChanges): EventBits & { touched: number } {
  let [touched, chosen, on] = [0, 0, 0];
  for (const name of EVENT_NAMES) {
    const asked = changes[name];
    if (asked === undefined) continue;
    // What cannot be empty is switched off by an empty value.
    const choice = asked ?? (name in FIXED_DEFAULTS ? false : null);
    touched |= BITS[name];
    if (choice !== null) chosen |= BITS[name];
    if (choice === true) on |= BITS[name];
  }
  return { touched, chosen, on };
}
