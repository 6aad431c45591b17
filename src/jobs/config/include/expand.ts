import { At, Problems } from '../check/at.ts';
import { INCLUDE_RULES, rulesOf } from '../check/rules.ts';
import type { Patterns } from '../expression/pattern.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { ConfigError } from '../merge/config-error.ts';
import { Merging } from '../merge/deep-merge.ts';
import type { Scope } from '../planning/evaluation.ts';
import type { ConfigPlace, IncludedFile } from '../source.ts';
import type { Yaml, YamlMap } from '../yaml/value.ts';
import type { YamlReader } from '../yaml/yaml.ts';
import { configurationIn } from './document.ts';
import { type IncludeRequest, requestsOf } from './request.ts';
import { templateNamed } from './templates.ts';
import { wildcardPattern } from './wildcard.ts';

/** GitLab's own bounds. */
const MAX_FILES = 150;
const MAX_DEPTH = 100;
/** Of all files together, in letters. */
const MAX_TOTAL = 8 * 1024 * 1024;

interface Deps {
  yaml: YamlReader;
  inputs: Inputs;
  patterns: Patterns;
  /** What rules of includes, and variables in their paths, may ask. */
  scope: Scope;
}

interface Found {
  place: ConfigPlace;
  path: string;
  content: string;
  /** As the including file named it. */
  written: string;
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
        merged = this.#merging.deep(merged, await this.#read(found, { request, asking: place, depth }));
    const own = new Map(root);
    own.delete('include');
    return this.#merging.deep(merged, own);
  }

  async #read(
    found: Found,
    { request, asking, depth }: { request: IncludeRequest; asking: ConfigPlace; depth: number },
  ): Promise<YamlMap> {
    const { place, path, content, written, extra } = found;
    this.#files.push({
      type: request.kind,
      location: path,
      project: place.project,
      sha: place.sha,
      contextProject: asking.project,
      contextSha: asking.sha,
      extra,
    });
    if (this.#files.length > MAX_FILES) throw tooMany();
    const given = { values: request.inputs, ofPipeline: false };
    const root = await configurationIn(content, this.#deps, given);
    if (typeof root === 'string') throw new ConfigError(`\`${written}\`: ${root}`);
    return this.expand(root, place, depth + 1);
  }

  async #find(request: IncludeRequest, place: ConfigPlace): Promise<Found[]> {
    if (!(await this.#isWanted(request))) return [];
    switch (request.kind) {
      case 'local':
        return this.#local(request.path, place);
      case 'file':
        return this.#ofProject(request, place);
      case 'remote':
        return [await this.#remote(request.url, place)];
      case 'template':
        return [this.#template(request.name, place)];
    }
  }

  async #remote(written: string, asking: ConfigPlace): Promise<Found> {
    const url = this.#text(written);
    if (!/\.ya?ml$/.test(URL.parse(url)?.pathname ?? '.yml')) throw noYaml(written);
    const content = this.#counted(await asking.remote(url, written), { named: 'Remote file', written });
    return { place: remotePlace(asking), path: written, content, written, extra: {} };
  }

  #template(written: string, asking: ConfigPlace): Found {
    const content = templateNamed(this.#text(written));
    if (content === undefined) throw new ConfigError(`Template file \`${written}\` is not a valid location!`);
    if (content === null) throw new ConfigError(`Included file \`${written}\` is empty or does not exist!`);
    return { place: asking, path: written, content, written, extra: {} };
  }

  async #isWanted({ rules: written }: IncludeRequest): Promise<boolean> {
    const problems = new Problems();
    const at = new At('include', { problems, patterns: this.#deps.patterns });
    const rules = rulesOf(at, written, INCLUDE_RULES);
    if (!problems.isEmpty) throw new ConfigError(problems.errors.join(', '));
    if (!rules) return true;
    const rule = await this.#deps.scope.firstOf(rules);
    return rule !== null && rule.when !== 'never';
  }

  /** @param written as in the file: errors, which everybody may read, never show what a variable holds */
  async #local(written: string, place: ConfigPlace): Promise<Found[]> {
    const wanted = this.#path(written);
    const paths = wanted.includes('*') ? await place.match(wildcardPattern(wanted)) : [wanted];
    if (paths.length === 0) throw new ConfigError(`Local file \`${written}\` does not exist!`);
    if (paths.length > MAX_FILES) throw tooMany();
    const found: Found[] = [];
    // one after the other, so that too much is noticed before it is read
    for (const path of paths) found.push(await this.#fileAt(place, path, { named: 'Local file', written }));
    return found;
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
        `Project \`${request.project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
      );
    if (place === 'unknown ref')
      throw new ConfigError(
        `Project \`${request.project}\` reference \`${request.ref ?? 'HEAD'}\` does not exist!`,
      );
    if (request.paths.length > MAX_FILES) throw tooMany();
    const extra = { project, ref: ref ?? 'HEAD' };
    const found: Found[] = [];
    for (const written of request.paths) {
      const options = { named: `Project \`${request.project}\` file`, written, extra };
      found.push(await this.#fileAt(place, this.#path(written), options));
    }
    return found;
  }

  async #fileAt(
    place: ConfigPlace,
    path: string,
    { named, written, extra = {} }: { named: string; written: string; extra?: IncludedFile['extra'] },
  ): Promise<Found> {
    const content = await place.read(path);
    if (content === null) throw new ConfigError(`${named} \`${written}\` does not exist!`);
    return { place, path, content: this.#counted(content, { named, written }), written, extra };
  }

  #counted(content: string, { named, written }: { named: string; written: string }): string {
    if (content.trim() === '') throw new ConfigError(`${named} \`${written}\` is empty!`);
    this.#total += content.length;
    if (this.#total > MAX_TOTAL)
      throw new ConfigError('Total size of combined CI/CD configuration is too big');
    return content;
  }

  #text(written: string): string {
    return this.#deps.scope.expand(written);
  }

  /** From the root of the repository. */
  #path(written: string): string {
    const path = this.#text(written);
    if (/\.ya?ml$/.test(path)) return path.replace(/^\/+/, '');
    throw noYaml(written);
  }
}

/** A file from elsewhere is nobody's: it includes what is elsewhere, and nothing of a project. */
const remotePlace = ({ project, sha, remote }: ConfigPlace): ConfigPlace => ({
  project,
  sha,
  read: async () => null,
  match: async () => [],
  other: async () => 'unknown project',
  remote,
});

const noYaml = (written: string) =>
  new ConfigError(`Included file \`${written}\` does not have YAML extension!`);

const tooMany = () => new ConfigError(`Maximum of ${MAX_FILES} nested includes are allowed!`);
