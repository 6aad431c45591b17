import { splitLines } from '../../git/lines.ts';
import { resolveRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { Core } from '../core.ts';
import { BRANCHES } from '../repository/default-branch.ts';
import type { Project } from '../tables.ts';

/** Languages by file extension. Prose and data (Markdown, JSON, YAML) do not count, as on GitLab. */
const EXTENSIONS: Record<string, string> = {
  Astro: 'astro',
  C: 'c h',
  'C#': 'cs',
  'C++': 'cc cpp cxx hh hpp hxx',
  CMake: 'cmake',
  CSS: 'css',
  Clojure: 'clj cljs cljc',
  CoffeeScript: 'coffee',
  Crystal: 'cr',
  Dart: 'dart',
  Elixir: 'ex exs',
  Elm: 'elm',
  Erlang: 'erl hrl',
  'F#': 'fs fsx',
  Fortran: 'f90 f95',
  Go: 'go',
  Groovy: 'groovy gradle',
  HCL: 'tf hcl',
  HTML: 'html htm',
  Haskell: 'hs',
  Java: 'java',
  JavaScript: 'js mjs cjs jsx',
  Julia: 'jl',
  Kotlin: 'kt kts',
  Less: 'less',
  Lua: 'lua',
  Nix: 'nix',
  OCaml: 'ml mli',
  'Objective-C': 'm mm',
  PHP: 'php',
  PLpgSQL: 'pgsql',
  Perl: 'pl pm',
  PowerShell: 'ps1 psm1',
  Python: 'py pyi',
  R: 'r',
  Ruby: 'rb rake gemspec',
  Rust: 'rs',
  SCSS: 'scss',
  Scala: 'scala sc',
  Shell: 'sh bash zsh',
  Solidity: 'sol',
  Svelte: 'svelte',
  Swift: 'swift',
  TypeScript: 'ts tsx mts cts',
  'Visual Basic .NET': 'vb',
  Vue: 'vue',
  Zig: 'zig',
};

const BY_EXTENSION = new Map(
  Object.entries(EXTENSIONS).flatMap(([language, list]) => list.split(' ').map((ext) => [ext, language])),
);
const BY_NAME = new Map([
  ['dockerfile', 'Dockerfile'],
  ['makefile', 'Makefile'],
  ['rakefile', 'Ruby'],
  ['gemfile', 'Ruby'],
  ['cmakelists.txt', 'CMake'],
]);

/** Other people's code, which would drown a project's own. */
const VENDORED = /(?:^|\/)(?:node_modules|vendor|third_party|dist)\//;

/** Shares in per cent of the bytes on the default branch, the largest first: `{"Ruby": 66.67}`. */
export async function languagesOf(core: Core, project: Project): Promise<Record<string, number>> {
  const repository = core.repositoryOf(project);
  const commit = await resolveRef(repository, BRANCHES + project.default_branch);
  if (commit === null) return {};
  const { facts } = repository.git.caches;
  const key = `languages ${commit}`;
  const known = facts.get(repository, key);
  if (known !== undefined) return JSON.parse(known) as Record<string, number>;
  const shares = sharesOf(await bytesByLanguage(repository, commit));
  facts.set(repository, key, JSON.stringify(shares));
  return shares;
}

async function bytesByLanguage(repository: Repository, commit: string): Promise<Map<string, number>> {
  const args = ['ls-tree', '-r', '--full-tree', '--format=%(objectsize) %(path)', commit];
  const bytes = new Map<string, number>();
  for await (const line of splitLines(await repository.stream(args))) {
    // Git puts odd names in quotes, which then end the extension.
    const [, size, path] = /^(\d+) "?(.*?)"?$/.exec(line.toString('utf8')) ?? [];
    const language = path === undefined ? undefined : languageOf(path);
    if (language) bytes.set(language, (bytes.get(language) ?? 0) + Number(size));
  }
  return bytes;
}

export function languageOf(path: string): string | undefined {
  if (VENDORED.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  return BY_NAME.get(name) ?? (dot > 0 ? BY_EXTENSION.get(name.slice(dot + 1)) : undefined);
}

function sharesOf(bytes: Map<string, number>): Record<string, number> {
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  const shares = [...bytes]
    .map(([language, size]) => [language, Math.round((size / total) * 10_000) / 100] as const)
    .filter(([, share]) => share > 0)
    .sort(([, one], [, other]) => other - one);
  return Object.fromEntries(shares);
}
