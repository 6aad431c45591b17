import type { Reply, TestService } from '../support/service.ts';

/** Addresses and ids of what a world has, by the template that they stand for. */
export interface Made {
  get(template: string): string | number | undefined;
}

/** Calls the service as a world does. */
export interface Maker extends Made {
  api: TestService['api'];
  /** The body of the answer; throws where it is none of success. Parameters of the address stand for what is there. */
  send(method: string, template: string, body?: object): Promise<Reply['body']>;
}

/** One thing for the last parameter of a template, or one that has a name of its own. */
export interface Thing {
  at: string;
  /** Where it is made; the address without its last parameter by default. */
  post?: string;
  body?: object | ((made: Made) => object);
  /** Of the answer; or of the first of the list. */
  key: string;
  /** What else of the answer is remembered, by the name that it gets. */
  also?: Record<string, string>;
  /** What brings it about by changing the thing that it stands in. */
  changes?: (made: Made) => object[];
  /** It came about by itself, or its making does not answer it: the first of this list. */
  listed?: string;
  /** What takes more than a call. */
  make?: (world: Maker) => Promise<object>;
  /** It is there when GET on its address says so, or else this. */
  isThere?: (world: Maker) => Promise<boolean>;
  /** Routes that need it and whose address does not say so. */
  needed?: RegExp;
}

/** For what cannot be read by itself: it is in a list. */
export const among =
  (at: string, list: string, key = 'id') =>
  async (world: Maker) =>
    (await world.send('GET', `${list}${list.includes('?') ? '&' : '?'}per_page=100`)).some(
      (each: Record<string, unknown>) => each[key] === world.get(at),
    );

/** A name that nothing has. */
export const unique = () => `h${Math.random().toString(36).slice(2)}`;
