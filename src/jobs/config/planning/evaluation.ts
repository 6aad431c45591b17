import { expandText } from '../../variables/expand.ts';
import { Breath } from '../breath.ts';
import type { Elsewhere, Rule } from '../config.ts';
import { holds } from '../expression/evaluate.ts';
import type { Expression } from '../expression/parse.ts';
import type { Patterns } from '../expression/pattern.ts';
import { globsOf } from '../glob.ts';
import type { ConfigVariable, PlanContext } from '../plan.ts';

export type RuleContext = Pick<PlanContext, 'variables' | 'changedPaths' | 'exists'>;

type Known = ReadonlyMap<string, { value: string; raw: boolean }>;

/** Of paths with globs: a second or two. What has not been looked at by then counts as changed, as GitLab has it of `exists`. */
const MAX_COMPARISONS = 2_000_000;

/** Answers what rules ask of one pipeline, asking git for nothing twice: thousands of jobs share a few rules. */
export class Evaluation {
  readonly breath = new Breath();
  readonly #context: RuleContext;
  readonly #patterns: Patterns;
  readonly #answers = new Map<string, Promise<boolean>>();
  readonly #paths = new Map<string | null, Promise<string[] | null>>();
  #comparisons = 0;

  constructor(context: RuleContext, patterns: Patterns) {
    this.#context = context;
    this.#patterns = patterns;
  }

  /** The same questions where these variables of the file are known. */
  scope(variables: readonly ConfigVariable[]): Scope {
    const known = new Map<string, { value: string; raw: boolean }>();
    for (const { key, value, raw } of variables) known.set(key, { value, raw });
    // whoever begins the pipeline, and the settings of its project, overrule the file
    for (const [key, value] of this.#context.variables) known.set(key, { value, raw: true });
    return new Scope(this, known);
  }

  holds(expression: Expression, known: Known): boolean {
    const lookup = (name: string) => {
      const variable = known.get(name);
      return variable && (variable.raw ? variable.value : expandText(variable.value, known));
    };
    return holds(expression, lookup, this.#patterns);
  }

  exists(globs: readonly string[], elsewhere: Elsewhere | null): Promise<boolean> {
    const question = `exists ${JSON.stringify([elsewhere, ...globs])}`;
    return this.#once(question, () => this.#context.exists(globs, elsewhere));
  }

  /** Where nothing can be compared everything counts as changed. */
  changed(globs: readonly string[], compareTo: string | null): Promise<boolean> {
    return this.#once(`changed ${JSON.stringify([compareTo, ...globs])}`, async () => {
      const paths = await this.#changedPaths(compareTo);
      return paths === null || this.#isAnyOf(paths, globsOf(globs));
    });
  }

  async #isAnyOf(paths: readonly string[], { count, matches }: ReturnType<typeof globsOf>): Promise<boolean> {
    for (const path of paths) {
      this.#comparisons += count;
      if (this.#comparisons > MAX_COMPARISONS || matches(path)) return true;
      await this.breath.take();
    }
    return false;
  }

  #changedPaths(compareTo: string | null): Promise<string[] | null> {
    const known = this.#paths.get(compareTo);
    if (known) return known;
    const asked = this.#context.changedPaths(compareTo);
    this.#paths.set(compareTo, asked);
    return asked;
  }

  #once(question: string, ask: () => Promise<boolean>): Promise<boolean> {
    const known = this.#answers.get(question);
    if (known) return known;
    const asked = ask();
    this.#answers.set(question, asked);
    return asked;
  }
}

export class Scope {
  readonly #evaluation: Evaluation;
  readonly #known: Known;

  constructor(evaluation: Evaluation, known: Known) {
    this.#evaluation = evaluation;
    this.#known = known;
  }

  expand(text: string): string {
    return expandText(text, this.#known);
  }

  holds(expression: Expression): boolean {
    return this.#evaluation.holds(expression, this.#known);
  }

  /** Whether one of the globs, with their variables, matches a path that changed. */
  changed(globs: readonly string[], compareTo: string | null = null): Promise<boolean> {
    const base = compareTo === null ? null : this.expand(compareTo);
    return this.#evaluation.changed(
      globs.map((glob) => this.expand(glob)),
      base,
    );
  }

  /** The first rule that holds; null where none does. */
  async firstOf(rules: readonly Rule[]): Promise<Rule | null> {
    for (const rule of rules) {
      if (await this.#matches(rule)) return rule;
      await this.#evaluation.breath.take();
    }
    return null;
  }

  /** A rule that asks for several things wants all of them. */
  async #matches(rule: Pick<Rule, 'if' | 'changes' | 'exists'>): Promise<boolean> {
    if (rule.if && !this.holds(rule.if)) return false;
    if (rule.changes && !(await this.changed(rule.changes.paths, rule.changes.compareTo))) return false;
    return !rule.exists || this.#exists(rule.exists);
  }

  #exists({ globs, elsewhere }: NonNullable<Rule['exists']>): Promise<boolean> {
    const project = elsewhere && {
      project: this.expand(elsewhere.project),
      ref: elsewhere.ref === null ? null : this.expand(elsewhere.ref),
    };
    return this.#evaluation.exists(
      globs.map((glob) => this.expand(glob)),
      project,
    );
  }
}
