import { documentValue } from './nodes.ts';
import { BrokenYaml, sentenceOf } from './syntax-errors.ts';
import { Measure, type Yaml, YamlTooBig } from './value.ts';

/** The documents of a text, or why it is none. */
export type YamlResult = { documents: Yaml[] } | { error: string };

/** GitLab's default of `max_yaml_size_bytes`. */
export const MAX_BYTES = 2 * 1024 * 1024;

export const TOO_BIG = { error: 'The parsed YAML is too big' };

/** Whether a text is refused unread. */
export const isTooBig = (text: string): boolean =>
  text.length > MAX_BYTES || Buffer.byteLength(text) > MAX_BYTES;

/** Reads YAML as Ruby's Psych does. Takes about a millisecond for each 2 kB, in which nothing else runs. */
export async function readYaml(text: string): Promise<YamlResult> {
  if (isTooBig(text)) return TOO_BIG;
  const yaml = await import('yaml');
  try {
    const parsed = yaml.parseAllDocuments(text, {
      schema: 'failsafe', // words stay words: what they mean is Ruby's to say
      version: '1.1',
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const broken = 'empty' in parsed ? parsed.errors[0] : parsed.find((d) => d.errors[0])?.errors[0];
    if (broken) return { error: sentenceOf(broken) };
    const documents = 'empty' in parsed ? [] : parsed.map((document) => documentValue(yaml, document));
    const size = new Measure();
    for (const document of documents) size.add(document);
    return { documents };
  } catch (error) {
    if (error instanceof BrokenYaml) return { error: error.message };
    // a stack that overflows is one of too many brackets
    if (error instanceof YamlTooBig || error instanceof RangeError) return TOO_BIG;
    throw error;
  }
}
