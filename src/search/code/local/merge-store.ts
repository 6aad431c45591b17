import type { DatabaseSync } from 'node:sqlite';
import { Statements } from './statements.ts';
import { insertSegment, type NewSegment } from './write-store.ts';

/** A segment, with how many blobs its file holds, and how many of them no path names any more. */
export interface SegmentState {
  id: number;
  file: string;
  bytes: number;
  blobs: number;
  dead: number;
}

/** A blob that lives on in another segment, under another number. */
export interface MovedBlob {
  id: number;
  /** The segment it was in. */
  from: number;
  number: number;
}

/** What merges read and write. */
export class MergeStore {
  readonly #sql: Statements;

  constructor(database: DatabaseSync, onCommit?: () => void) {
    this.#sql = new Statements(database, onCommit);
  }

  segments(): SegmentState[] {
    return this.#sql.rows('select id, file, bytes, blobs, dead from segments order by id');
  }

  /** Blobs of a segment that some path names, in the order of their numbers. */
  liveBlobs(segment: number): { id: number; number: number }[] {
    return this.#sql.rows(
      'select id, number from blobs where segment = ? and live = 1 order by number',
      segment,
    );
  }

  /**
   * Puts one file in the place of several, in one transaction. `moved` are the blobs that it holds; what the old ones held
   * beside them is gone, but for blobs that came back to life meanwhile: then nothing was written, and the answer is false.
   */
  replaceSegments(
    old: readonly number[],
    file: Pick<NewSegment, 'file' | 'bytes'> | null,
    moved: readonly MovedBlob[],
  ): boolean {
    return this.#sql.transaction(() => {
      if (file) this.#adopt(file, moved);
      const isLive = 'select 1 from blobs where segment = ? and live = 1 limit 1';
      if (old.some((id) => this.#sql.row(isLive, id))) return { value: false, keep: false };
      for (const id of old) {
        this.#sql.run('delete from blobs where segment = ?', id);
        this.#sql.run('delete from segments where id = ?', id);
      }
      return { value: true, keep: true };
    });
  }

  #adopt({ file, bytes }: Pick<NewSegment, 'file' | 'bytes'>, moved: readonly MovedBlob[]): void {
    const segment = insertSegment(this.#sql, file, bytes, moved.length);
    // By segment too: one that was taken out meanwhile has left its ids to others.
    const move = 'update blobs set segment = ?, number = ? where id = ? and segment = ?';
    for (const { id, from, number } of moved) this.#sql.run(move, segment, number, id, from);
    const live = 'select count(*) from blobs where segment = ?1 and live = 1';
    this.#sql.run(`update segments set dead = blobs - (${live}) where id = ?1`, segment);
  }
}
