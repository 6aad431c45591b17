import type { Patterns } from '../expression/pattern.ts';

/** A configuration may have a mistake in each of thousands of jobs; nobody reads more. */
const MAX_ERRORS = 100;
/** Some errors list what would be right, which may be long. */
const MAX_LENGTH = 2_000;

/** What was found wrong, in the order of the file. */
export class Problems {
  readonly warnings: string[] = [];
  readonly #errors: string[] = [];
  #more = 0;

  add(error: string): void {
    if (this.#errors.length < MAX_ERRORS) this.#errors.push(error.slice(0, MAX_LENGTH));
    else this.#more++;
  }

  get errors(): string[] {
    return this.#more === 0 ? [...this.#errors] : [...this.#errors, `and ${this.#more} more errors`];
  }

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }
}

/** A place in the configuration, as GitLab names it: `jobs:rspec:artifacts`. */
export class At {
  readonly path: string;
  readonly problems: Problems;
  readonly patterns: Patterns;

  constructor(path: string, { problems, patterns }: { problems: Problems; patterns: Patterns }) {
    this.path = path;
    this.problems = problems;
    this.patterns = patterns;
  }

  in(key: string): At {
    return new At(this.path === '' ? key : `${this.path}:${key}`, this);
  }

  /** Tells an error of this place; null, so that a reader can give it back as its value. */
  fail(message: string): null {
    this.problems.add(this.path === '' ? message : `${this.path} ${message}`);
    return null;
  }
}
