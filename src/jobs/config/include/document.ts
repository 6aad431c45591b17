import type { Inputs } from '../inputs/inputs.ts';
import type { GivenInputs } from '../inputs/values.ts';
import { ConfigError } from '../merge/config-error.ts';
import { isMap, type YamlMap } from '../yaml/value.ts';
import type { YamlReader } from '../yaml/yaml.ts';

const NO_MAPPING = 'Invalid configuration format';

export interface Reading {
  yaml: YamlReader;
  inputs: Inputs;
}

/** The configuration in a text, with its inputs filled in, or why there is none, in GitLab's words. Throws YamlTooBig. */
export async function configurationIn(
  content: string,
  { yaml, inputs }: Reading,
  given: GivenInputs,
): Promise<YamlMap | string> {
  const result = await yaml.read(content);
  if ('error' in result) return result.error;
  const [first, second] = result.documents;
  if (!isMap(first)) return NO_MAPPING;
  try {
    const isHeader = second !== undefined && first.size === 1 && first.has('spec');
    if (!isHeader) inputs.refuse(given);
    if (!isHeader) return first;
    return isMap(second) ? await inputs.fill(first.get('spec') ?? null, second, given) : NO_MAPPING;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
