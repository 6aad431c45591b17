import type { Core } from '../../core/core.ts';
import { deleteStaleManagers, managerFinder, upsertManager } from './managers-store.ts';
import { updateRunner } from './store.ts';
import type { RunnerManagerRow, RunnerRow } from './tables.ts';

/** What a runner tells of itself with every call; any of it may be missing or wrong. */
export interface RunnerContact {
  systemId: string;
  info: Record<string, unknown>;
  ip: string | null;
}

/** GitLab's: runners are `online` for two hours, so that ten minutes are exact enough and spare a write each poll. */
const CONTACT_RESOLUTION_MS = 10 * 60_000;
/** As long is a machine remembered that is heard of no more; it bounds what one token can make. */
const STALE_MS = 7 * 24 * 3600_000;
const MAX_TEXT = 255;

export type NoteContact = (runner: RunnerRow, contact: RunnerContact) => Promise<RunnerManagerRow>;

/** Writes who called, now and then, and gives the machine that did. */
export function contactNoter({ database, db, clock }: Pick<Core, 'database' | 'db' | 'clock'>): NoteContact {
  const find = managerFinder(db);
  return async (runner, contact) => {
    const now = clock.now();
    const facts = factsOf(contact);
    const [known] = await find({ runnerId: runner.id, systemId: contact.systemId });
    if (known && isFresh(known, facts, now - CONTACT_RESOLUTION_MS)) return known;
    return database.transaction(async (tx) => {
      if (!known) await deleteStaleManagers(tx, runner.id, now - STALE_MS);
      await updateRunner(tx, runner.id, { contacted_at: now });
      const key = { runner_id: runner.id, system_id: contact.systemId, created_at: now };
      return upsertManager(tx, { ...key, ...facts, contacted_at: now });
    });
  };
}

type Facts = ReturnType<typeof factsOf>;

function factsOf({ info, ip }: RunnerContact) {
  const text = (name: string) => {
    const value = info[name];
    return typeof value === 'string' && !value.includes('\0')
      ? value.toWellFormed().slice(0, MAX_TEXT)
      : null;
  };
  return {
    name: text('name'),
    version: text('version'),
    revision: text('revision'),
    platform: text('platform'),
    architecture: text('architecture'),
    executor: text('executor'),
    ip_address: ip,
  };
}

function isFresh(known: RunnerManagerRow, facts: Facts, since: number): boolean {
  if ((known.contacted_at ?? 0) < since) return false;
  const names = Object.keys(facts) as (keyof Facts)[];
  return names.every((name) => facts[name] === null || known[name] === facts[name]);
}
