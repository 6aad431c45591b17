/** How much somebody wants to hear; GitLab's names. */
export const LEVELS = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
export type NotificationLevel = (typeof LEVELS)[number];

/** What holds for whoever has set nothing. */
export const DEFAULT_LEVEL = 'participating';

/** When mail goes out; `global` at a group or project: as is said above it. */
export const DELIVERIES = ['immediate', 'batched', 'hourly', 'daily'] as const;

export const isLevel = (text: string): text is NotificationLevel =>
  (LEVELS as readonly string[]).includes(text);
