import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, seedCommit, seedMember, seedProject, seedUser } from '../../../test/support/seed.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { Level } from '../../core/access/levels.ts';
import type { ProjectWithNamespace } from '../../core/projects/find.ts';
import { gitPlace } from './git-place.ts';
import { globPattern } from './glob.ts';
import { readConfig } from './read-config.ts';
import { YamlReader } from './yaml/yaml.ts';

const FILES = {
  '.gitlab-ci.yml': 'x: {script: a}',
  'ci/a.yml': 'a',
  'ci/b.yaml': 'b',
  'ci/deep/c.yml': 'c',
  '-v/--help.yml': 'dash',
  'src/[x].ts': 'bracket',
  'große/ä.yml': 'umlaut',
  'large.yml': `a: ${'x'.repeat(3_000_000)}`,
};

describe('files of a commit', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let secret: ProjectWithNamespace;
  let member: Person;
  let stranger: Person;
  let sha: string;
  before(async () => {
    service = await startService();
    project = await seedProject(service.core, 'place');
    secret = await seedProject(service.core, 'secret');
    member = await seedUser(service.core, 'member');
    stranger = await seedUser(service.core, 'stranger');
    await seedMember(service.core, secret, member.user, Level.reporter);
    sha = await seedCommit(service.core, project, { branch: 'main', files: FILES });
    await seedCommit(service.core, secret, { branch: 'main', files: { 'lib.yml': 'old' } });
    await seedCommit(service.core, secret, { branch: 'v2', files: { 'lib.yml': 'new' } });
  });
  after(() => service.close());

  const place = (of: { sha?: string | null; person?: Person } = {}) =>
    gitPlace(service.core, {
      project,
      fullPath: project.full_path,
      sha: of.sha === undefined ? sha : of.sha,
      user: of.person ? { user: of.person.user, admin: false } : null,
    });

  it('are read by their paths, and nothing else is', async () => {
    const { read } = place();
    assert.equal(await read('ci/a.yml'), 'a');
    assert.equal(await read('-v/--help.yml'), 'dash');
    assert.equal(await read('große/ä.yml'), 'umlaut');
    const nothing = [
      '',
      '/',
      'ci',
      'ci/',
      'no.yml',
      '../place/ci/a.yml',
      'ci/../ci/a.yml',
      'ci/a.yml/x',
      'a\0b',
      '--help',
    ];
    for (const path of nothing) assert.equal(await read(path), null, path);
    assert.equal(await place({ sha: null }).read('ci/a.yml'), null);
  });

  it('are matched by globs from the root', async () => {
    const match = (glob: string) => place().match(globPattern(glob));
    assert.deepEqual(await match('ci/*.yml'), ['ci/a.yml']);
    assert.deepEqual(await match('ci/**/*.{yml,yaml}'), ['ci/a.yml', 'ci/b.yaml', 'ci/deep/c.yml']);
    assert.deepEqual(await match('**/c.yml'), ['ci/deep/c.yml']);
    assert.deepEqual(await match('ci/a.yml'), ['ci/a.yml']);
    assert.deepEqual(await match('src/\\[x\\].ts'), ['src/[x].ts']);
    assert.deepEqual(await match('-v/*'), ['-v/--help.yml']);
    for (const glob of ['', 'ci', 'no/*', '../*', 'ci/a.yml/*', '/ci/*', '/ci/a.yml'])
      assert.deepEqual(await match(glob), [], glob);
    assert.deepEqual(await place({ sha: null }).match(globPattern('**/*')), []);
  });

  it('of other projects are for those who may read them', async () => {
    const other = await place({ person: member }).other('root/secret', null);
    assert.ok(typeof other === 'object');
    assert.equal(await other.read('lib.yml'), 'old');
    const second = await place({ person: member }).other('/root/SECRET', 'v2');
    assert.ok(typeof second === 'object');
    assert.deepEqual([await second.read('lib.yml'), second.project], ['new', 'root/secret']);
    assert.equal(await place({ person: member }).other('root/secret', 'v3'), 'unknown ref');
    assert.equal(await place({ person: member }).other('root/secret', '--all'), 'unknown ref');
    for (const person of [stranger, undefined])
      assert.equal(await place(person && { person }).other('root/secret', null), 'unknown project');
    for (const name of [String(secret.id), 'secret', '', 'root/no', '\0/\0'])
      assert.equal(await place({ person: member }).other(name, null), 'unknown project', name);
  });

  it('that are too large are told so, not that they are not there', async () => {
    await using yaml = { reader: new YamlReader(), [Symbol.asyncDispose]: () => yaml.reader.close() };
    const context = {
      variables: new Map<string, string>(),
      changedPaths: async () => null,
      exists: async () => false,
    };
    const content = 'include: large.yml\nx: {script: a}';
    const { errors } = await readConfig({ content, place: place(), context }, yaml.reader);
    assert.deepEqual(errors, ['`large.yml`: The parsed YAML is too big']);
  });
});
