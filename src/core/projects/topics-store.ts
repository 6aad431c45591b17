import { sql } from 'kysely';
import { containsText } from '../../platform/db/like.ts';
import type { Queryable, Tx } from '../../platform/db/tables.ts';

export interface TopicCount {
  id: number;
  name: string;
  /** Projects that have it. */
  projects: number;
}

/** Makes these the topics of a project; names that differ in case only are one topic, spelt as it was first. */
export async function setTopics(tx: Tx, projectId: number, names: readonly string[]): Promise<void> {
  await tx.deleteFrom('project_topics').where('project_id', '=', projectId).execute();
  for (const name of names) {
    await tx
      .insertInto('topics')
      .values({ name })
      .onConflict((conflict) => conflict.expression(sql`lower(name)`).doNothing())
      .execute();
    await tx
      .insertInto('project_topics')
      .columns(['topic_id', 'project_id'])
      .expression((eb) =>
        eb
          .selectFrom('topics')
          .select(['id', sql<number>`${projectId}`.as('project_id')])
          .where(sql`lower(name)`, '=', sql`lower(${name})`),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Topics that at least one project has, the most used first. */
export function listTopics(
  db: Queryable,
  search: string | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<TopicCount[]> {
  return counted(db, search)
    .orderBy('projects', 'desc')
    .orderBy('topics.id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTopics(db: Queryable, search: string | undefined): Promise<number> {
  const row = await db
    .selectFrom(counted(db, search).as('used'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function findTopic(db: Queryable, id: number): Promise<TopicCount | undefined> {
  return counted(db, undefined).where('topics.id', '=', id).executeTakeFirst();
}

function counted(db: Queryable, search: string | undefined) {
  const topics = db
    .selectFrom('topics')
    .innerJoin('project_topics', 'project_topics.topic_id', 'topics.id')
    .select(['topics.id', 'topics.name'])
    .select((eb) => eb.fn.countAll<number>().as('projects'))
    .groupBy(['topics.id', 'topics.name']);
  return search ? topics.where(containsText(sql.ref('topics.name'), search)) : topics;
}
