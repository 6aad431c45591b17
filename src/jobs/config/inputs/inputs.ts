import type { Breath } from '../breath.ts';
import type { Patterns } from '../expression/pattern.ts';
import type { PlanContext } from '../plan.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import { InputFunctions } from './functions.ts';
import { interpolate } from './interpolate.ts';
import { specsOf } from './spec.ts';
import { type GivenInputs, inputValues } from './values.ts';

interface Deps {
  patterns: Patterns;
  context: Pick<PlanContext, 'written'>;
  breath: Breath;
}

/** Fills the inputs of the files of one configuration. */
export class Inputs {
  readonly #deps: Deps;
  readonly #functions: InputFunctions;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#functions = new InputFunctions(deps.context);
  }

  /** The file behind a header with `spec`, with what is given in its places. Throws ConfigError, YamlTooBig. */
  fill(spec: Yaml, file: YamlMap, given: GivenInputs): Promise<YamlMap> {
    const { patterns, breath } = this.#deps;
    const values = inputValues(specsOf(spec, patterns), given, patterns);
    return interpolate(file, { values, functions: this.#functions, breath });
  }

  /** A file without a header has no inputs, and `$[[` means nothing in it. Throws ConfigError. */
  refuse(given: GivenInputs): void {
    inputValues([], given, this.#deps.patterns);
  }
}
