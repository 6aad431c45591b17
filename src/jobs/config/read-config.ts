import { Breath } from './breath.ts';
import { At, Problems } from './check/at.ts';
import { checkLinks } from './check/links.ts';
import { rootOf } from './check/root.ts';
import { variablesOf } from './check/variables.ts';
import { Patterns } from './expression/pattern.ts';
import { configurationIn } from './include/document.ts';
import { Includes } from './include/expand.ts';
import { Inputs } from './inputs/inputs.ts';
import { ConfigError } from './merge/config-error.ts';
import { resolveExtends } from './merge/extends.ts';
import { resolveReferences } from './merge/references.ts';
import { Evaluation } from './planning/evaluation.ts';
import type { ConfigResult, ConfigSource, IncludedFile } from './source.ts';
import { Measure, type YamlMap, YamlTooBig } from './yaml/value.ts';
import type { YamlReader } from './yaml/yaml.ts';

/** Reads and checks a configuration with everything it includes. Broken ones are told in `errors`, nothing is thrown for them. */
export async function readConfig(source: ConfigSource, yaml: YamlReader): Promise<ConfigResult> {
  const patterns = await Patterns.load();
  const breath = new Breath();
  const files: IncludedFile[] = [];
  const merged = await merge(source, { yaml, patterns, files, breath });
  if (typeof merged === 'string') return { ...BROKEN, errors: [merged], includes: files };
  const problems = new Problems();
  const config = await rootOf(new At('', { problems, patterns }), merged, breath);
  if (problems.isEmpty) await checkLinks(config, problems, breath);
  return {
    config: problems.isEmpty ? config : null,
    errors: problems.errors,
    warnings: problems.warnings,
    includes: files,
    mergedYaml: () => yaml.write(merged),
  };
}

export const NO_CONTENT = 'Please provide content of .gitlab-ci.yml';

const BROKEN: ConfigResult = {
  config: null,
  errors: [],
  warnings: [],
  includes: [],
  mergedYaml: async () => null,
};

/** The whole configuration as one, or why it cannot be put together. */
async function merge(
  { content, place, context, inputs: given }: ConfigSource,
  {
    yaml,
    patterns,
    files,
    breath,
  }: { yaml: YamlReader; patterns: Patterns; files: IncludedFile[]; breath: Breath },
): Promise<YamlMap | string> {
  if (content.trim() === '') return NO_CONTENT;
  const inputs = new Inputs({ patterns, context, breath });
  try {
    const values = given ?? new Map();
    const root = await configurationIn(content, { yaml, inputs }, { values, ofPipeline: true });
    if (typeof root === 'string') return root;
    const scope = new Evaluation(context, patterns).scope(globalsOf(root, patterns));
    const includes = new Includes({ yaml, inputs, patterns, scope }, files);
    const extended = await resolveExtends(await includes.expand(root, place), breath);
    const merged = await resolveReferences(extended, breath);
    await demandSmall(merged, breath);
    return merged;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    if (error instanceof YamlTooBig) return 'The parsed YAML is too big';
    throw error;
  }
}

/** References and includes may multiply what each file keeps small. Throws YamlTooBig. */
async function demandSmall(merged: YamlMap, breath: Breath): Promise<void> {
  const size = new Measure();
  for (const value of merged.values()) {
    size.add(value);
    await breath.take();
  }
}

/** What paths of includes may name; whether they are right is told when all is merged. */
const globalsOf = (root: YamlMap, patterns: Patterns) =>
  variablesOf(new At('', { problems: new Problems(), patterns }), root.get('variables'), {
    described: true,
  }) ?? [];
