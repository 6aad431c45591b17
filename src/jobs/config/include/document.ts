import { isMap, type YamlMap } from '../yaml/value.ts';
import type { YamlReader } from '../yaml/yaml.ts';

const NO_MAPPING = 'Invalid configuration format';

/** The configuration in a text, or why there is none, in GitLab's words. A header with `spec` stands before it. */
export async function configurationIn(content: string, yaml: YamlReader): Promise<YamlMap | string> {
  const result = await yaml.read(content);
  if ('error' in result) return result.error;
  const [first, second] = result.documents;
  if (!isMap(first)) return NO_MAPPING;
  const isHeader = second !== undefined && first.size === 1 && first.has('spec');
  if (!isHeader) return first;
  if (isMap(first.get('spec'))) return 'Header: `spec:inputs` is not supported here';
  return isMap(second) ? second : NO_MAPPING;
}
