import { presentUserBasic } from '../../core/entities.ts';
import { findUsersByIds } from '../../core/users/store.ts';
import { demandNumbers } from '../page.ts';
import type { Search, SearchResult } from '../scope.ts';
import { fold, textQuery } from '../text/terms.ts';
import { matches } from '../text/walk.ts';
import { peopleIn } from './area-store.ts';
import { findByAddress, type Person, personWalk } from './store.ts';

/**
 * By name and user name, in words of any length, or by a whole mail address. Whose name is exactly what was asked for comes
 * first, then who has that user name, that address, then the others; each by name.
 */
export async function searchUsers(search: Search): Promise<SearchResult> {
  const { core, baseUrl, place, window } = search;
  const { offset, perPage } = demandNumbers(window);
  const found = await findPeople(search);
  const shown = found.slice(offset, offset + perPage).map(({ id }) => id);
  const users = await findUsersByIds(core.db, shown);
  const items = shown.flatMap((id) => users.get(id) ?? []).map((user) => presentUserBasic(user, baseUrl));
  const total = found.length;
  return { items, facts: place.level === 'project' ? { total } : { hasNext: total > offset + perPage } };
}

async function findPeople(search: Search): Promise<Person[]> {
  const { core, viewer } = search;
  const text = search.text.replace(/^@/, '');
  const query = textQuery(text, 1);
  const within = await peopleIn(search);
  const addressed = text.includes('@')
    ? await findByAddress(core.db, text, { within, admin: viewer.admin })
    : [];
  const people = new Map(addressed.map((person) => [person.id, person]));
  for await (const person of matches(personWalk(core.database, { query, within }), query, null)) {
    people.set(person.id, person);
  }
  const byAddress = new Set(addressed.map(({ id }) => id));
  return inOrder([...people.values()], fold(text), byAddress);
}

function inOrder(people: Person[], text: string, byAddress: ReadonlySet<number>): Person[] {
  const ranked = people.map((person) => ({ person, rank: rankOf(person, text, byAddress) }));
  ranked.sort(
    (a, b) => a.rank - b.rank || compareTexts(a.person.name, b.person.name) || a.person.id - b.person.id,
  );
  return ranked.map(({ person }) => person);
}

function rankOf({ id, name, username }: Person, text: string, byAddress: ReadonlySet<number>): number {
  if (fold(name) === text) return 0;
  if (fold(username) === text) return 1;
  return byAddress.has(id) ? 2 : 3;
}

/** The same on every machine: by code units, not by the locale of whoever started the service. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
