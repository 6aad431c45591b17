const FIXED_CONFIG: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.quotePath': 'false',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.commitGraph': 'true',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'safe.directory': '*',
  'advice.detachedHead': 'false',
};

/** Settings of one git process; a list gives a setting several values (`uploadpack.hideRefs`). */
export type GitConfig = Record<string, string | readonly string[]>;

/** The environment of a git process: a short list of its own, no inherited GIT_ variable, no prompts, no system or user configuration. */
export function gitEnvironment(
  config: GitConfig = {},
  extra: Record<string, string> = {},
): NodeJS.ProcessEnv {
  const entries = Object.entries({ ...FIXED_CONFIG, ...config }).flatMap(([key, values]) =>
    [values].flat().map((value) => [key, value] as const),
  );
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(entries.length),
  };
  entries.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return Object.assign(environment, extra);
}
