import { At, Problems } from '../check/at.ts';
import { INCLUDE_RULES, rulesOf } from '../check/rules.ts';
import type { Patterns } from '../expression/pattern.ts';
import { ConfigError } from '../merge/config-error.ts';
import { Merging } from '../merge/deep-merge.ts';
import type { Scope } from '../planning/evaluation.ts';
import type { ConfigPlace, IncludedFile } from '../source.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import type { YamlReader } from '../yaml/yaml.ts';
import { configurationIn } from './document.ts';
import { type IncludeRequest, requestsOf } from './request.ts';

/** GitLab's own bounds. */
const MAX_FILES = 150;
const MAX_DEPTH = 100;
/** Of all files together, in letters. */
const MAX_TOTAL = 8 * 1024 * 1024;

interface Deps {
  yaml: YamlReader;
  patterns: Patterns;
  /** What rules of includes, and variables in their paths, may ask. */
  scope: Scope;
}

interface Found {
  place: ConfigPlace;
  path: string;
  content: string;
  /** As the including file named it. */
  location: string;
  extra: IncludedFile['extra'];
}

/** Fetches what a configuration includes, and what that includes. The number of files bounds those that include each other. */
export class Includes {
  readonly #deps: Deps;
  readonly #files: IncludedFile[];
  readonly #merging = new Merging();
  #total = 0;

  /** @param files where every file is told that was read, also when a later one breaks off */
  constructor(deps: Deps, files: IncludedFile[]) {
    this.#deps = deps;
    this.#files = files;
  }

  /** The configuration over all that it includes, without the key itself. Throws ConfigError. */
  async expand(root: YamlMap, place: ConfigPlace, depth = 0): Promise<YamlMap> {
    if (depth > MAX_DEPTH) throw tooMany();
    let merged: YamlMap = new Map<string, Yaml>();
    for (const request of requestsOf(root.get('include')))
      for (const found of await this.#find(request, place))
        merged = this.#merging.deep(
          merged,
          await this.#read(found, { type: request.kind, asking: place, depth }),
        );
    const own = new Map(root);
    own.delete('include');
    return this.#merging.deep(merged, own);
  }

  async #read(
    found: Found,
    { type, asking, depth }: { type: IncludeRequest['kind']; asking: ConfigPlace; depth: number },
  ): Promise<YamlMap> {
    const { place, content, location, extra } = found;
    this.#files.push({
      type: type as IncludedFile['type'],
      location,
      project: place.project,
      sha: place.sha,
      contextProject: asking.project,
      contextSha: asking.sha,
      extra,
    });
    if (this.#files.length > MAX_FILES) throw tooMany();
    this.#total += content.length;
    if (this.#total > MAX_TOTAL)
      throw new ConfigError('Total size of combined CI/CD configuration is too big');
    const root = await configurationIn(content, this.#deps.yaml);
    if (typeof root === 'string') throw new ConfigError(`\`${location}\`: ${root}`);
    return this.expand(root, place, depth + 1);
  }

  async #find(request: IncludeRequest, place: ConfigPlace): Promise<Found[]> {
    if (!(await this.#isWanted(request))) return [];
    switch (request.kind) {
      case 'local':
        return this.#local(this.#text(request.path), place);
      case 'file':
        return this.#ofProject(request, place);
      case 'remote':
        throw new ConfigError(
          `Remote file \`${request.url}\` could not be fetched: remote files are not allowed here`,
        );
      case 'template':
        // there are none of our own yet, and GitLab's are not ours to give
        throw new ConfigError(`Template file \`${this.#text(request.name)}\` does not exist!`);
    }
  }

  async #isWanted({ rules: written }: IncludeRequest): Promise<boolean> {
    const problems = new Problems();
    const at = new At('include:rules', { problems, patterns: this.#deps.patterns });
    const rules = rulesOf(at, written, INCLUDE_RULES);
    if (!problems.isEmpty) throw new ConfigError(problems.errors.join(', '));
    if (!rules) return true;
    const rule = await this.#deps.scope.firstOf(rules);
    return rule !== null && rule.when !== 'never';
  }

  async #local(path: string, place: ConfigPlace): Promise<Found[]> {
    const wanted = path.replace(/^\/+/, '');
    demandYamlName(path);
    const paths = wanted.includes('*') ? await place.match(wanted) : [wanted];
    if (paths.length === 0) throw new ConfigError(`Local file \`${path}\` does not exist!`);
    if (paths.length > MAX_FILES) throw tooMany();
    const read = (each: string) =>
      this.#fileAt(place, each, { named: 'Local file', location: each === wanted ? path : each });
    return Promise.all(paths.map(read));
  }

  async #ofProject(
    request: Extract<IncludeRequest, { kind: 'file' }>,
    asking: ConfigPlace,
  ): Promise<Found[]> {
    const project = this.#text(request.project);
    const ref = request.ref === null ? null : this.#text(request.ref);
    const place = await asking.other(project, ref);
    if (place === 'unknown project')
      throw new ConfigError(
        `Project \`${project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
      );
    if (place === 'unknown ref')
      throw new ConfigError(`Project \`${project}\` reference \`${ref ?? 'HEAD'}\` does not exist!`);
    if (request.paths.length > MAX_FILES) throw tooMany();
    const extra = { project, ref: ref ?? 'HEAD' };
    const found: Found[] = [];
    for (const written of request.paths) {
      const path = this.#text(written);
      demandYamlName(path);
      const options = { named: `Project \`${project}\` file`, location: path, extra };
      found.push(await this.#fileAt(place, path.replace(/^\/+/, ''), options));
    }
    return found;
  }

  async #fileAt(
    place: ConfigPlace,
    path: string,
    { named, location, extra = {} }: { named: string; location: string; extra?: IncludedFile['extra'] },
  ): Promise<Found> {
    const content = await place.read(path);
    if (content === null) throw new ConfigError(`${named} \`${location}\` does not exist!`);
    if (content.trim() === '') throw new ConfigError(`${named} \`${location}\` is empty!`);
    return { place, path, content, location, extra };
  }

  #text(written: string): string {
    return this.#deps.scope.expand(written);
  }
}

const tooMany = () => new ConfigError(`Maximum of ${MAX_FILES} nested includes are allowed!`);

function demandYamlName(path: string): void {
  if (!/\.ya?ml$/.test(path))
    throw new ConfigError(`Included file \`${path}\` does not have YAML extension!`);
}
