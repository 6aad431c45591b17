import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { seedProject } from '../../../../test/support/seed.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import type { ProjectWithNamespace } from '../../../core/projects/find.ts';
import { howAllowed, remoteHosts } from '../../../core/settings/remote-hosts.ts';
import { isPublicAddress } from './public-address.ts';
import { fetchRemote } from './remote.ts';

describe('remote files of configurations', () => {
  let service: TestService;
  let project: ProjectWithNamespace;
  let server: Server;
  let origin: string;
  const asked: (string | undefined)[] = [];

  before(async () => {
    server = createServer(({ url, headers }, answer) => {
      asked.push(url, headers.authorization, headers.cookie);
      const send = (status: number, text = '', more = {}) => answer.writeHead(status, more).end(text);
      if (url === '/job.yml') return send(200, 'far: {script: [from afar]}');
      if (url === '/nested.yml') return send(200, `include: ['${origin}/job.yml']`);
      if (url === '/local.yml') return send(200, 'include: [{local: own.yml}]');
      if (url === '/project.yml')
        return send(200, `include: [{project: ${project.full_path}, file: own.yml}]`);
      if (url === '/moved.yml') return send(302, '', { location: '/job.yml' });
      if (url === '/inwards.yml') return send(302, '', { location: 'http://169.254.169.254/latest/x.yml' });
      if (url === '/upwards.yml') return send(302, '', { location: 'https://localhost/x.yml' });
      if (url === '/round.yml') return send(302, '', { location: '/round.yml' });
      if (url === '/large.yml') return send(200, '#'.repeat(3_000_000));
      if (url === '/empty.yml') return send(200, '\n');
      if (url === '/silent.yml') return answer.writeHead(200).write('far:');
      return send(404, 'no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = await startService();
    project = await seedProject(service.core, 'near');
    const own = { action: 'create', file_path: 'own.yml', content: 'near: {script: [own]}' };
    const body = { branch: 'main', commit_message: 'c', actions: [own] };
    const made = await service.api('POST', `/projects/${project.id}/repository/commits`, { body });
    assert.equal(made.status, 201, made.text);
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });

  const allow = async (hosts: string) => {
    const body = { ci_remote_include_hosts: hosts };
    const reply = await service.api('PUT', '/application/settings', { body });
    assert.deepEqual([reply.status, reply.body.ci_remote_include_hosts], [200, hosts], reply.text);
  };
  const lint = async (include: string) => {
    const body = { content: `include: ['${include}']\nown: {script: [a]}`, include_jobs: true };
    return (await service.api('POST', `/projects/${project.id}/ci/lint`, { body })).body;
  };
  const errorOf = async (include: string): Promise<string> => {
    const { valid, errors } = await lint(include);
    assert.equal(valid, false, include);
    assert.equal(errors.length, 1);
    return errors[0];
  };

  it('are refused where nobody has allowed them', async () => {
    assert.equal(
      await errorOf(`${origin}/job.yml`),
      `Remote file \`${origin}/job.yml\` could not be fetched because remote files are not allowed here`,
    );
    assert.deepEqual(asked, []);
  });

  it('are fetched from an origin that is allowed, with what they include themselves', async () => {
    await allow(`example.com, ${origin}`);
    for (const path of ['job.yml', 'nested.yml', 'moved.yml']) {
      const { valid, errors, jobs, includes } = await lint(`${origin}/${path}`);
      assert.deepEqual([valid, errors], [true, []]);
      assert.deepEqual(
        jobs.map(({ name }: { name: string }) => name),
        ['far', 'own'],
      );
      assert.deepEqual(
        [includes[0].type, includes[0].location, includes[0].raw, includes[0].blob],
        ['remote', `${origin}/${path}`, `${origin}/${path}`, null],
      );
    }
    assert.ok(
      asked.every((each) => each === undefined || each.endsWith('.yml')),
      'nothing is sent along',
    );
  });

  it('include nothing of projects', async () => {
    assert.match(await errorOf(`${origin}/local.yml`), /Local file `own.yml` does not exist!/);
    assert.match(await errorOf(`${origin}/project.yml`), /not found or access denied/);
  });

  it('are refused with the reason', async () => {
    const cases = {
      'none.yml': /HTTP code `404` error!$/,
      'round.yml': /too many redirects$/,
      'large.yml': /too big$/,
      'empty.yml': /is empty!$/,
      'job.txt': /does not have YAML extension!$/,
      'inwards.yml': /host is not allowed here$/,
      'upwards.yml': /host is not allowed here$/,
    };
    for (const [path, said] of Object.entries(cases)) assert.match(await errorOf(`${origin}/${path}`), said);
    assert.match(
      await errorOf(`${origin.replace('//', '//user:secret@')}/job.yml`),
      /not have a valid address!$/,
    );
    assert.match(await errorOf('https://example.org/a.yml'), /host is not allowed here$/);
    assert.match(await errorOf('http://example.com/a.yml'), /host is not allowed here$/, 'without TLS');
    assert.match(await errorOf('https://example.com:8443/a.yml'), /host is not allowed here$/);
  });

  it('never come from the local network by a list of names', async () => {
    await allow(`* ${origin}`);
    for (const host of [
      'localhost',
      '127.0.0.1',
      '2130706433',
      '10.1.2.3',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[fd00::1]',
    ]) {
      assert.match(
        await errorOf(`https://${host}/a.yml`),
        /requests to the local network are not allowed$/,
        host,
      );
    }
    assert.match(await errorOf(`${origin}/upwards.yml`), /requests to the local network are not allowed$/);
    assert.match(await errorOf(`${origin}/inwards.yml`), /host is not allowed here$/);
  });

  it('that come too slowly are given up', async () => {
    await assert.rejects(
      fetchRemote(service.core.settings, { url: `${origin}/silent.yml`, timeoutMs: 100 }),
      /because of a timeout error!$/,
    );
  });

  it('may be allowed by administrators, and by lists that mean something', async () => {
    for (const odd of ['ftp://example.com', 'https://example.com/path', 'a b/c', '**', '-x']) {
      const body = { ci_remote_include_hosts: odd };
      const reply = await service.api('PUT', '/application/settings', { body });
      assert.equal(reply.status, 400, odd);
      assert.deepEqual(reply.body.message, { ci_remote_include_hosts: ['is not a list of hosts'] });
    }
  });
});

describe('lists of hosts', () => {
  const how = (list: string, url: string) => howAllowed(new URL(url), remoteHosts(list)!);

  it('allow what they name', () => {
    assert.equal(how('example.com', 'https://example.com/a'), 'public');
    assert.equal(how('example.com', 'https://EXAMPLE.com:443/a'), 'public');
    assert.equal(how('*.example.com', 'https://a.b.example.com/a'), 'public');
    assert.equal(how('*', 'https://anything.test/a'), 'public');
    assert.equal(how('http://10.0.0.5:8080', 'http://10.0.0.5:8080/a'), 'any');
  });

  it('allow nothing else', () => {
    assert.equal(how('', 'https://example.com/a'), null);
    assert.equal(how('example.com', 'https://sub.example.com/a'), null);
    assert.equal(how('*.example.com', 'https://example.com/a'), null);
    assert.equal(how('*.example.com', 'https://badexample.com/a'), null);
    assert.equal(how('http://10.0.0.5:8080', 'http://10.0.0.5/a'), null);
    assert.equal(how('https://example.com', 'http://example.com/a'), null);
  });
});

describe('public addresses', () => {
  it('are told from those of networks of their own', () => {
    for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450::1']) {
      assert.equal(isPublicAddress(address), true, address);
    }
    const others = ['127.0.0.1', '0.0.0.0', '10.0.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'];
    others.push('100.64.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fd00::1', 'ff02::1');
    others.push('::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', 'localhost', '');
    for (const address of others) assert.equal(isPublicAddress(address), false, address);
  });
});
