import type { ConfigVariable } from '../config/plan.ts';
import type { Yaml, YamlMap } from '../config/yaml/value.ts';

const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whether the message of a commit asks for no pipeline. */
export const asksToSkip = (message: string): boolean => SKIP.test(message);

/** What `git push -o …` says of pipelines. */
export interface PushWishes {
  /** A pipeline that is skipped. */
  skip: boolean;
  /** Not even that. */
  none: boolean;
  variables: ConfigVariable[];
  inputs: YamlMap;
}

const INPUT = /^ci\.input=([^=]{1,255})=(.*)$/s;
const VARIABLE = /^ci\.variable=([A-Za-z0-9_]{1,255})=(.*)$/s;

/** Options that say nothing of pipelines, or not what we know, are passed over, as GitLab does. */
export function wishesOf(options: readonly string[] = []): PushWishes {
  const variables = options.flatMap((option) => {
    const [, key, value] = VARIABLE.exec(option) ?? [];
    return key === undefined ? [] : [{ key, value: value!, raw: false }];
  });
  const inputs = new Map<string, Yaml>();
  for (const option of options) {
    const [, name, value] = INPUT.exec(option) ?? [];
    if (name !== undefined) inputs.set(name, value!);
  }
  return {
    skip: options.includes('ci.skip'),
    none: options.includes('ci.no_pipeline'),
    variables,
    inputs,
  };
}
