import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { forEachDatabase } from '../../../test/support/databases.ts';
import { RefConflict, RefNameClash, updateRefs } from '../../git/ref-update.ts';
import { resolveRef } from '../../git/refs.ts';
import { ApiError } from '../../platform/errors.ts';
import { wikiOf, wikiPath } from '../projects/wiki.ts';
import type { RefProject } from './ref-updates.ts';
import { addCommit, addProject, movesTold, openIntents, openParts, type Parts } from './testing/parts.ts';
import type { VictimTask } from './testing/victim.ts';

const ORIGIN = { userId: null, via: 'api' } as const;
const MAIN = 'refs/heads/main';

describe('ref updates', () => {
  forEachDatabase((kind, _open, create) => {
    async function start() {
      const test = await create();
      const parts = openParts(await test.open(), test.dir);
      const project = await addProject(parts, 'ann');
      await parts.deps.git.repository(wikiPath(project.storage_path)).create({ defaultBranch: 'main' });
      const [one, two] = [await addCommit(parts, project, 'one'), await addCommit(parts, project, 'two')];
      return { test, parts, project, one, two };
    }

    async function killedAt(
      kill: VictimTask['kill'],
      updates: (one: string, two: string) => VictimTask['updates'],
      placeOf: (project: RefProject) => RefProject = (project) => project,
    ) {
      const { test, parts, project: code } = await start();
      const project = placeOf(code);
      const [one, two] = [await addCommit(parts, project, 'one'), await addCommit(parts, project, 'two')];
      await parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: one }], ORIGIN);
      await parts.close();
      await parts.deps.database.close();
      const task: VictimTask = { dir: test.dir, url: test.url, project, updates: updates(one, two), kill };
      const child = spawn(process.execPath, [
        `${import.meta.dirname}/testing/victim.ts`,
        JSON.stringify(task),
      ]);
      let problem = '';
      child.stderr.on('data', (chunk) => {
        problem += chunk;
      });
      const [, signal] = await once(child, 'close');
      assert.equal(signal, 'SIGKILL', problem);
      const next = openParts(await test.open(), test.dir);
      await next.refUpdates.recover();
      return { next, project, one, two };
    }

    const at = ({ deps }: Parts, project: { storage_path: string }, ref: string) =>
      resolveRef(deps.git.repository(project.storage_path), ref);

    it('tells every ref that moved, in order, and leaves no intent', async () => {
      const { parts, project, one, two } = await start();
      const updates = [
        { ref: MAIN, old: null, new: one },
        { ref: 'refs/tags/v1', new: two },
      ];
      await parts.refUpdates.update(project, updates, ORIGIN);
      await parts.refUpdates.update(project, [{ ref: MAIN, old: one, new: null }], ORIGIN);
      assert.deepEqual(await movesTold(parts, project), [
        `${MAIN} null ${one}`,
        `refs/tags/v1 null ${two}`,
        `${MAIN} ${one} null`,
      ]);
      assert.equal(await openIntents(parts), 0);
    });

    it('refuses a stale old value without moving or telling anything', async () => {
      const { parts, project, one, two } = await start();
      await parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: one }], ORIGIN);
      const stale = parts.refUpdates.update(
        project,
        [
          { ref: 'refs/heads/other', old: null, new: one },
          { ref: MAIN, old: two, new: two },
        ],
        ORIGIN,
      );
      await assert.rejects(stale, RefConflict);
      assert.equal(await at(parts, project, 'refs/heads/other'), null);
      assert.equal((await movesTold(parts, project)).length, 1);
      assert.equal(await openIntents(parts), 0);
    });

    it('drops the intents when git refuses', async () => {
      const { parts, project, one } = await start();
      await parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: one }], ORIGIN);
      const below = [{ ref: `${MAIN}/below`, old: null, new: one }];
      await assert.rejects(parts.refUpdates.update(project, below, ORIGIN), RefNameClash);
      assert.equal(await openIntents(parts), 0);
      assert.equal((await movesTold(parts, project)).length, 1);
    });

    it('lets exactly one of many rivals make a branch', async () => {
      const { parts, project, one, two } = await start();
      const rivals = [one, two, one, two].map((oid) =>
        parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: oid }], ORIGIN),
      );
      const results = await Promise.allSettled(rivals);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await movesTold(parts, project)).length, 1);
    });

    it('takes the first branch for the default one and protects it', async () => {
      const { parts, project, one } = await start();
      const row = () =>
        parts.deps.database.db
          .selectFrom('projects')
          .leftJoin('protected_branches', 'protected_branches.project_id', 'projects.id')
          .select(['default_branch', 'protected_branches.name', 'last_activity_at'])
          .where('projects.id', '=', project.id)
          .execute();
      await parts.refUpdates.update(project, [{ ref: 'refs/heads/trunk', old: null, new: one }], ORIGIN);
      await parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: one }], ORIGIN);
      const [stored, ...more] = await row();
      assert.equal(more.length, 0);
      assert.equal(stored?.default_branch, 'trunk');
      assert.equal(stored?.name, 'trunk');
      assert.ok((stored?.last_activity_at ?? 0) > 0);
      assert.equal(await parts.deps.git.repository(project.storage_path).head(), 'trunk');
    });

    it('answers 404 when the project is gone', async () => {
      const { parts, project, one } = await start();
      await parts.deps.database.db.deleteFrom('projects').where('id', '=', project.id).execute();
      const update = parts.refUpdates.update(project, [{ ref: MAIN, new: one }], ORIGIN);
      await assert.rejects(update, (error) => error instanceof ApiError && error.status === 404);
      assert.equal(await at(parts, project, MAIN), null);
    });

    it('drops what was announced and never moved, when killed before git', async () => {
      const { next, project, one } = await killedAt({ when: 'after', transaction: 1 }, (old, two) => [
        { ref: MAIN, old, new: two },
      ]);
      assert.equal(await at(next, project, MAIN), one);
      assert.deepEqual(await movesTold(next, project), [`${MAIN} null ${one}`]);
      assert.equal(await openIntents(next), 0);
    });

    it('tells what was moved and not told, when killed after git', async () => {
      const { next, project, one, two } = await killedAt({ when: 'before', transaction: 2 }, (old, two) => [
        { ref: MAIN, old, new: two },
        { ref: 'refs/tags/v1', old: null, new: two },
      ]);
      assert.equal(await at(next, project, MAIN), two);
      assert.deepEqual(await movesTold(next, project), [
        `${MAIN} null ${one}`,
        `${MAIN} ${one} ${two}`,
        `refs/tags/v1 null ${two}`,
      ]);
      assert.equal(await openIntents(next), 0);
    });

    it('tells an acknowledged move once, when killed after the last step', async () => {
      const { next, project, one, two } = await killedAt({ when: 'after', transaction: 2 }, (old, two) => [
        { ref: MAIN, old, new: two },
      ]);
      assert.deepEqual(await movesTold(next, project), [`${MAIN} null ${one}`, `${MAIN} ${one} ${two}`]);
    });

    it('does the same for a wiki, and leaves alone the code, which has refs of the same names', async () => {
      const { next, project, one, two } = await killedAt(
        { when: 'before', transaction: 2 },
        (old, two) => [{ ref: MAIN, old, new: two }],
        wikiOf,
      );
      assert.equal(await at(next, project, MAIN), two);
      assert.deepEqual(await movesTold(next, project, 'wiki.moved'), [
        `${MAIN} null ${one}`,
        `${MAIN} ${one} ${two}`,
      ]);
      assert.deepEqual(await movesTold(next, project), []);
      assert.equal(await openIntents(next), 0);
    });

    it('holds up neither a wiki by its code nor the other way round', async () => {
      const { parts, project, one } = await start();
      const wiki = wikiOf(project);
      await addCommit(parts, wiki, 'one');
      await Promise.all(
        [project, wiki].map((place) =>
          parts.refUpdates.update(place, [{ ref: MAIN, old: null, new: one }], ORIGIN),
        ),
      );
      const told = [await movesTold(parts, project), await movesTold(parts, project, 'wiki.moved')];
      assert.deepEqual(told, [[`${MAIN} null ${one}`], [`${MAIN} null ${one}`]]);
      const rules = await parts.deps.database.db.selectFrom('protected_branches').select('name').execute();
      assert.equal(rules.length, 1);
    });

    it('settles what an earlier process left when the same ref is moved again, without a restart', async () => {
      const { parts, project, one, two } = await start();
      const { deps } = parts;
      await deps.database.db
        .insertInto('ref_intents')
        .values({
          project_id: project.id,
          ref: MAIN,
          old_oid: null,
          new_oid: one,
          origin: JSON.stringify(ORIGIN),
          owner: '1',
          created_at: 0,
        })
        .execute();
      await updateRefs(deps.git.repository(project.storage_path), [{ ref: MAIN, new: one }]);
      await parts.refUpdates.update(project, [{ ref: MAIN, old: one, new: two }], ORIGIN);
      assert.deepEqual(await movesTold(parts, project), [`${MAIN} null ${one}`, `${MAIN} ${one} ${two}`]);
    });

    // With SQLite only one process may have the folder.
    if (kind === 'postgres') {
      it('does not touch what a living process has in hand', async () => {
        const { test, parts, project, one } = await start();
        const other = openParts(await test.open(), test.dir);
        await parts.deps.database.db
          .insertInto('ref_intents')
          .values({
            project_id: project.id,
            ref: MAIN,
            old_oid: null,
            new_oid: one,
            origin: JSON.stringify(ORIGIN),
            owner: String(other.deps.database.locks.identity),
            created_at: 0,
          })
          .execute();
        await parts.refUpdates.recover();
        assert.equal(await openIntents(parts), 1);
        const refused = parts.refUpdates.update(project, [{ ref: MAIN, old: null, new: one }], ORIGIN);
        await assert.rejects(refused, (error) => error instanceof ApiError && error.status === 409);
        parts.refUpdates.close();
      });
    }
  });
});
