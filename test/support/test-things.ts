import type { Generated } from 'kysely';
import type { Migration } from '../../src/platform/db/migrate.ts';

/** Two small tables for tests of the database layer itself. */
export const thingsMigration: Migration = {
  number: 9001,
  name: 'test-things',
  sql: `
    create table test_boxes (id {{id}}, name text not null);
    create table test_things (
      id {{id}},
      name text not null,
      place text not null default 'here',
      amount bigint not null default 0 check (amount >= 0),
      box_id bigint references test_boxes (id)
    );
    create unique index test_things_name on test_things (lower(name));
    create unique index test_things_place on test_things (place, amount);`,
};

interface BoxesTable {
  id: Generated<number>;
  name: string;
}

interface ThingsTable {
  id: Generated<number>;
  name: string;
  place: Generated<string>;
  amount: Generated<number>;
  box_id: number | null;
}

declare module '../../src/platform/db/tables.ts' {
  interface Tables {
    test_boxes: BoxesTable;
    test_things: ThingsTable;
  }
}

declare module '../../src/platform/events/event.ts' {
  interface EventTypes {
    'test.thing': { amount: number };
  }
}
