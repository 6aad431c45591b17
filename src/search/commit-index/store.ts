import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Step } from '../text/walk.ts';

/** The format is part of the file's name: another one begins a new file. */
export const COMMITS_FILE = 'commits-1.db';

const SCHEMA = `
  create table if not exists tips (
    project_id integer primary key,
    -- null: never wholly read
    tip text,
    -- set while an update is under way
    next text
  );
  create table if not exists commits (
    id integer primary key,
    sha text not null unique,
    committed_at integer not null,
    author text not null,
    message text not null
  );
  create index if not exists commits_newest on commits (committed_at, id);
  create table if not exists holders (
    project_id integer not null,
    commit_id integer not null,
    primary key (project_id, commit_id)
  ) without rowid;
  create index if not exists holders_commit on holders (commit_id, project_id);
  create virtual table if not exists commits_text using fts5
    (author, message, content='commits', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);
  create trigger if not exists commits_insert after insert on commits begin
    insert into commits_text (rowid, author, message) values (new.id, new.author, new.message);
  end;
  create trigger if not exists commits_delete after delete on commits begin
    insert into commits_text (commits_text, rowid, author, message) values ('delete', old.id, old.author, old.message);
  end;
`;

export interface StoredCommit {
  sha: string;
  /** In seconds. */
  committedAt: number;
  /** `Name <mail>` */
  author: string;
  message: string;
}

export interface FoundRow {
  id: number;
  sha: string;
  committed_at: number;
  author: string;
  message: string;
  /** Of the projects asked for the first that has it. */
  project_id: number;
}

/** What narrows a step: trigrams that author or message hold, and the beginning of an id. */
export interface Narrowing {
  match: string | null;
  prefix: string | null;
}

/** Commits of many projects in a file of this machine, each once however many forks have it. Everything in it can be read anew. */
export class CommitStore {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Throws where the file is no database of ours. */
  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory;');
    this.#db.exec(SCHEMA);
  }

  tips(): { projectId: number; tip: string | null; next: string | null }[] {
    return this.#all('select project_id as projectId, tip, next from tips') as never;
  }

  begin(projectId: number, next: string): void {
    this.#run(
      'insert into tips (project_id, next) values (?, ?) on conflict do update set next = excluded.next',
      projectId,
      next,
    );
  }

  finish(projectId: number, tip: string): void {
    this.#run('update tips set tip = ?, next = null where project_id = ?', tip, projectId);
  }

  forget(projectId: number): void {
    this.#run('delete from tips where project_id = ?', projectId);
  }

  /** In one transaction: some hundred at once. */
  add(projectId: number, commits: readonly StoredCommit[]): void {
    this.#transaction(() => {
      for (const { sha, committedAt, author, message } of commits) {
        this.#run(
          'insert into commits (sha, committed_at, author, message) values (?, ?, ?, ?) on conflict do nothing',
          ...[sha, committedAt, author, message],
        );
        this.#run(
          'insert into holders select ?, id from commits where sha = ? on conflict do nothing',
          projectId,
          sha,
        );
      }
    });
  }

  /** Takes these out of a project, and those that nobody else has out of the file. */
  take(projectId: number, shas: readonly string[]): void {
    const ids = 'select id from commits where sha in (select value from json_each(?))';
    this.#takeIds(projectId, ids, JSON.stringify(shas));
  }

  /** The same for any commits of the project; how many there were. */
  takeSome(projectId: number, limit: number): number {
    const ids = this.#all(
      'select commit_id as id from holders where project_id = ? limit ?',
      projectId,
      limit,
    );
    const list = JSON.stringify(ids.map(({ id }) => id));
    this.#takeIds(projectId, 'select value from json_each(?)', list);
    return ids.length;
  }

  #takeIds(projectId: number, ids: string, list: string): void {
    this.#transaction(() => {
      const orphans = `select id from commits where id in (${ids})
        and not exists (select 1 from holders where commit_id = commits.id and project_id != ?)`;
      const gone = this.#all(orphans, list, projectId).map(({ id }) => id);
      this.#run(`delete from holders where project_id = ? and commit_id in (${ids})`, projectId, list);
      this.#run('delete from commits where id in (select value from json_each(?))', JSON.stringify(gone));
    });
  }

  /** One step of a walk through the commits of these projects, newest first. Ids are put in order before rows are read. */
  read(projectIds: string, step: Step, narrowing: Narrowing | null): FoundRow[] {
    const values: SQLInputValue[] = [projectIds, projectIds];
    const ids = idsOf(step, narrowing, values);
    const text = `select id, sha, committed_at, author, message,
        (select min(project_id) from holders where commit_id = commits.id and project_id in (${GIVEN})) as project_id
      from commits where id in (${ids}) order by committed_at desc, id desc`;
    return this.#all(text, ...values) as unknown as FoundRow[];
  }

  /** How many the index names, counted up to a bound. */
  countPossible(narrowing: Narrowing, bound: number): number {
    const values: SQLInputValue[] = [];
    const ids = narrowedBy(narrowing, values);
    const [row] = this.#all(
      `select count(*) as count from (select 1 from (${ids}) limit ?)`,
      ...values,
      bound,
    );
    return Number(row?.['count'] ?? 0);
  }

  get bytes(): number {
    const [row] = this.#all(
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    );
    return Number(row?.['bytes'] ?? 0);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #transaction(work: () => void): void {
    this.#db.exec('begin immediate');
    try {
      work();
      this.#db.exec('commit');
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  #run(text: string, ...values: SQLInputValue[]): void {
    this.#statement(text).run(...values);
  }

  #all(text: string, ...values: SQLInputValue[]): Record<string, SQLInputValue>[] {
    return this.#statement(text).all(...values) as Record<string, SQLInputValue>[];
  }

  #statement(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const made = this.#db.prepare(text);
    this.#statements.set(text, made);
    return made;
  }
}

/** A list that is given as JSON. */
const GIVEN = 'select value from json_each(?)';

/** Ids of one step; the first value is there already, the others are put behind. */
function idsOf(
  { after, limit, offset, narrowed }: Step,
  narrowing: Narrowing | null,
  values: SQLInputValue[],
): string {
  const conditions = [
    `exists (select 1 from holders where commit_id = commits.id and project_id in (${GIVEN}))`,
  ];
  if (after) {
    conditions.push('(committed_at, id) < (?, ?)');
    values.push(after.value, after.id);
  }
  if (narrowing && narrowed !== 'not') {
    // A plus keeps SQLite from looking up each row that is named, only to put them in order afterwards.
    conditions.push(`${narrowed === 'in order' ? '+' : ''}id in (${narrowedBy(narrowing, values)})`);
  }
  values.push(limit, offset);
  return `select id from commits where ${conditions.join(' and ')}
    order by committed_at desc, id desc limit ? offset ?`;
}

/** A select of ids; its values are put behind the others. */
function narrowedBy({ match, prefix }: Narrowing, values: SQLInputValue[]): string {
  const selects: string[] = [];
  if (match !== null) {
    selects.push('select rowid from commits_text where commits_text match ?');
    values.push(match);
  }
  if (prefix !== null) {
    selects.push('select id from commits where sha >= ? and sha < ?');
    values.push(prefix, `${prefix}g`);
  }
  return selects.join(' union ');
}
