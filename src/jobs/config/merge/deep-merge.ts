import { isMap, type Yaml, type YamlMap } from '../yaml/value.ts';

/** `over` on top of `base`: mappings are merged key by key, everything else is replaced. Neither is changed. */
export function deepMerge(base: YamlMap, over: YamlMap): YamlMap {
  const merged = new Map<string, Yaml>(base);
  for (const [key, value] of over) {
    const below = base.get(key);
    merged.set(key, isMap(below) && isMap(value) ? deepMerge(below, value) : value);
  }
  return merged;
}
