import { setTimeout as sleep } from 'node:timers/promises';
import { RefConflict, type RefUpdate, updateRefs } from '../../git/ref-update.ts';
import { resolveRef } from '../../git/refs.ts';
import { type Repository, RepositoryNotFound } from '../../git/repository.ts';
import { ForeignKeyViolation, UniqueViolation } from '../../platform/db/errors.ts';
import { isAlive, nodeIdentity } from '../../platform/db/locks.ts';
import { NamedMutexes } from '../../platform/db/named-mutexes.ts';
import { fail } from '../../platform/errors.ts';
import type { Project } from '../tables.ts';
import { inBatches } from './batches.ts';
import {
  deleteIntent,
  deleteIntents,
  insertIntents,
  intentPlace,
  intentsOf,
  placesWithIntents,
  type RefIntent,
} from './ref-intents-store.ts';
import { publishMoves, type RefMove, type RefMoveDeps } from './ref-moves.ts';

/** Who moved a ref and how; part of the event, so that rooms can tell a push from a cherry-pick. */
export interface RefOrigin {
  userId: number | null;
  /** `import` is what a project began with. */
  via: 'push' | 'api' | 'import';
  pushOptions?: string[];
  /** Of a `git push` of more refs than these the first ones, in its order. */
  firstRefs?: string[];
}

/** A repository whose refs move: what an update needs of a project, or of its wiki (`projects/wiki.ts`). */
export interface RefProject extends Pick<Project, 'id' | 'storage_path'> {
  /** `id` is the project's, `storage_path` that of its wiki. */
  wiki?: true;
}

/** How long a ref that another process is moving is waited for. */
const PATIENCE_MS = 5000;
const ASK_AGAIN_MS = 40;
/** A git process can outlive its service by as long as it takes to move refs that it was already told to move. */
const ORPHAN_MS = 1000;
const SWEEP_EVERY_MS = 60_000;
const INTENT_BATCH = 500;

const READ_COMMITTED = { isolation: 'read committed' } as const;

/**
 * The one way by which refs move. Git and the database have no common transaction, so an intent is written before git moves
 * anything, and turned into the event after: whatever a killed process leaves can be told from the ref itself. The unique
 * index on intents keeps other processes from moving the same ref meanwhile.
 */
export class RefUpdates {
  readonly #deps: RefMoveDeps;
  readonly #owner: string;
  readonly #patienceMs: number;
  readonly #mutexes = new NamedMutexes();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RefMoveDeps, { patienceMs = PATIENCE_MS } = {}) {
    this.#deps = deps;
    this.#patienceMs = patienceMs;
    this.#owner = String(nodeIdentity(deps.database));
  }

  /**
   * All or nothing, each compared with its old value; one `ref.moved` (`wiki.moved`) event for each, in this order. Throws RefConflict,
   * RefNameClash, InvalidRef (git/ref-update.ts), 404 when the project is gone, 409 when another process holds a ref.
   */
  async update(project: RefProject, updates: RefUpdate[], origin: RefOrigin): Promise<void> {
    if (updates.length === 0) return;
    await this.#alone(project, () => this.#update(project, updates, origin));
  }

  /**
   * Runs `work` alone with a ref among those in this process who ask so. Who reads a branch, builds on it and moves it
   * would otherwise do the work again for every rival.
   */
  inTurn<T>(project: RefProject, ref: string, work: () => Promise<T>): Promise<T> {
    return this.#mutexes.run(`${keyOf(project)} ${ref}`, work);
  }

  /** Turns what a killed process left half-done into events, or drops it; goes on doing so for other processes until `close`. */
  async recover(): Promise<void> {
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
    for (const project of await placesWithIntents(this.#deps.database.db)) {
      await this.#alone(project, () => this.#settleProject(project));
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    this.recover().catch((error: unknown) =>
      this.#deps.log.error({ err: error }, 'unfinished ref updates could not be settled'),
    );
  }

  #alone<T>(project: RefProject, work: () => Promise<T>): Promise<T> {
    return this.#mutexes.run(keyOf(project), work);
  }

  async #update(project: RefProject, updates: RefUpdate[], origin: RefOrigin): Promise<void> {
    const repo = this.#repository(project);
    const moves = await movesOf(repo, updates);
    await this.#announce(project, moves, origin);
    try {
      await updateRefs(
        repo,
        moves.map((move) => ({ ref: move.ref, old: move.oldOid, new: move.newOid })),
      );
    } catch (error) {
      // Timed out or killed halfway, git may have moved some: each ref itself says what became of it.
      await this.#settleProject(project);
      throw error;
    }
    await this.#finish(project, moves, origin);
  }

  /** Writes the intents. Waits for another process that has one of the refs in hand, for a while. */
  async #announce(project: RefProject, moves: RefMove[], origin: RefOrigin): Promise<void> {
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        await this.#insertIntents(project, moves, origin);
        return;
      } catch (error) {
        if (error instanceof ForeignKeyViolation) throw fail.notFound('Project');
        if (!(error instanceof UniqueViolation)) throw error;
        await this.#settleProject(project);
        if (performance.now() > deadline) throw fail.conflict('409 Conflict: Resource lock');
        await sleep(ASK_AGAIN_MS * (0.5 + Math.random()));
      }
    }
  }

  async #insertIntents(project: RefProject, moves: RefMove[], origin: RefOrigin): Promise<void> {
    const { database, clock } = this.#deps;
    const common = {
      ...intentPlace(project),
      origin: JSON.stringify(origin),
      owner: this.#owner,
      created_at: clock.now(),
    };
    for await (const batch of inBatches(moves, INTENT_BATCH)) {
      const rows = batch.map(({ ref, oldOid, newOid }) => ({
        ...common,
        ref,
        old_oid: oldOid,
        new_oid: newOid,
      }));
      await database.transaction((tx) => insertIntents(tx, rows), READ_COMMITTED);
    }
  }

  async #finish(project: RefProject, moves: RefMove[], origin: RefOrigin): Promise<void> {
    await publishMoves(this.#deps, { project, moves, origin }, (tx, batch) =>
      deleteIntents(tx, project, {
        owner: this.#owner,
        refs: batch.map((move) => move.ref),
      }).then(() => batch),
    );
  }

  /** Settles what this process or a dead one has left in a project. Only called while no update of ours is under way there. */
  async #settleProject(project: RefProject): Promise<void> {
    const { db } = this.#deps.database;
    const dead = new Map<string, boolean>([[this.#owner, true]]);
    let after = 0;
    for (;;) {
      const intents = await intentsOf(db, project, { after, limit: INTENT_BATCH });
      for (const intent of intents) {
        if (!dead.has(intent.owner)) dead.set(intent.owner, !(await this.#isAlive(intent.owner)));
        if (dead.get(intent.owner)) await this.#settle(project, intent);
        after = intent.id;
      }
      if (intents.length < INTENT_BATCH) return;
    }
  }

  #isAlive(owner: string): Promise<boolean> {
    return isAlive(this.#deps.database, Number(owner));
  }

  async #settle(project: RefProject, intent: RefIntent): Promise<void> {
    const present = await this.#presentValue(project, intent);
    const origin = JSON.parse(intent.origin) as RefOrigin;
    const moves =
      present === undefined || present === intent.old_oid
        ? []
        : [{ ref: intent.ref, oldOid: intent.old_oid, newOid: present }];
    if (moves.length === 0) {
      await this.#deps.database.transaction((tx) => deleteIntent(tx, intent.id), READ_COMMITTED);
      return;
    }
    await publishMoves(this.#deps, { project, moves, origin }, async (tx, batch) =>
      (await deleteIntent(tx, intent.id)) ? batch : [],
    );
  }

  /** Undefined when the repository is gone. */
  async #presentValue(project: RefProject, intent: RefIntent): Promise<string | null | undefined> {
    const repo = this.#repository(project);
    try {
      if (intent.owner !== this.#owner) {
        const age = this.#deps.clock.now() - intent.created_at;
        if (age < ORPHAN_MS) await sleep(Math.min(ORPHAN_MS - age, ORPHAN_MS));
      }
      if (!(await repo.exists())) return undefined;
      return await resolveRef(repo, intent.ref);
    } catch (error) {
      if (error instanceof RepositoryNotFound) return undefined;
      throw error;
    }
  }

  #repository(project: RefProject): Repository {
    return this.#deps.git.repository(project.storage_path);
  }
}

const keyOf = ({ id, wiki }: RefProject) => (wiki ? `${id} wiki` : String(id));

/** Compared here already: a stale expectation must not become an intent, whose old value recovery believes. */
async function movesOf(repo: Repository, updates: RefUpdate[]): Promise<RefMove[]> {
  const seen = new Set<string>();
  const moves: RefMove[] = [];
  for (const { ref, old, new: newOid } of updates) {
    if (seen.has(ref)) throw new Error(`one update names ${ref} twice`);
    seen.add(ref);
    const oldOid = await resolveRef(repo, ref);
    if (old !== undefined && old !== oldOid) {
      throw new RefConflict(`${ref} is at ${oldOid}, expected ${old}`, ref);
    }
    if (oldOid !== newOid) moves.push({ ref, oldOid, newOid });
  }
  return moves;
}
