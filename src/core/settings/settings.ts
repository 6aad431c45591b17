import type { Database } from '../../platform/db/database.ts';
import { type FieldErrors, fail } from '../../platform/errors.ts';
import { type ApplicationSettings, registry, type SettingName, settingNames } from './registry.ts';
import { readSettings, writeSettings } from './store.ts';

/** How old a value may be that another process has changed meanwhile. */
const FRESH_MS = 1000;

interface Deps {
  database: Database;
}

/**
 * The application settings as they are now. A read costs nothing within a second of the last one; a change in this process
 * shows at once, one in another process within that second.
 */
export class Settings {
  readonly #database: Database;
  #cached: { values: Promise<ApplicationSettings>; readAt: number } | null = null;

  constructor({ database }: Deps) {
    this.#database = database;
  }

  /** All settings, defaults filled in. The answer is shared: never change it. */
  current(): Promise<Readonly<ApplicationSettings>> {
    const now = performance.now();
    if (this.#cached !== null && now - this.#cached.readAt < FRESH_MS) return this.#cached.values;
    const values = this.#read();
    const cached = { values, readAt: now };
    this.#cached = cached;
    values.catch(() => {
      // whoever asked gets the error itself; the next one asks the database anew
      if (this.#cached === cached) this.#cached = null;
    });
    return values;
  }

  async get<K extends SettingName>(name: K): Promise<ApplicationSettings[K]> {
    return (await this.current())[name];
  }

  /** Stores what is given. Throws 400 `{"message": {"name": ["…"]}}` and stores nothing when a value is out of bounds. */
  async update(changes: Partial<ApplicationSettings>, now: number): Promise<Readonly<ApplicationSettings>> {
    const names = settingNames.filter((name) => changes[name] !== undefined);
    const problems = problemsOf(changes, names);
    if (Object.keys(problems).length > 0) throw fail.invalid(problems);
    const texts = new Map(names.map((name) => [name, JSON.stringify(changes[name])]));
    await this.#database.transaction((tx) => writeSettings(tx, texts, now));
    this.#cached = null;
    return this.current();
  }

  async #read(): Promise<ApplicationSettings> {
    const stored = await readSettings(this.#database.db);
    const values: Record<string, unknown> = {};
    for (const name of settingNames) {
      const text = stored.get(name);
      values[name] = text === undefined ? registry[name].default : JSON.parse(text);
    }
    return values as unknown as ApplicationSettings;
  }
}

function problemsOf(changes: Partial<ApplicationSettings>, names: SettingName[]): FieldErrors {
  const problems: FieldErrors = {};
  for (const name of names) {
    const check = registry[name].check as ((value: unknown) => string | null) | undefined;
    const problem = check?.(changes[name]);
    if (problem) problems[name] = [problem];
  }
  return problems;
}
