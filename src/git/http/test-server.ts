import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { ApiError } from '../../platform/errors.ts';
import { createLog } from '../../platform/log.ts';
import { Metrics } from '../../platform/metrics.ts';
import { GitRunner } from '../process.ts';
import type { RefResult } from './proc-receive.ts';
import type { GitService } from './protocol.ts';
import type { Push, PushDecisions } from './push-session.ts';
import { SmartHttp, type SmartHttpOptions } from './smart-http.ts';

/** For the tests of this folder: one bare repository behind a bare Node server, and a stock git beside it. */

const run = promisify(execFile);
const ZERO = '0'.repeat(40);
const CLIENT_CONFIG = [
  '-c',
  'user.name=Ann',
  '-c',
  'user.email=ann@example.com',
  '-c',
  'init.defaultBranch=main',
];

export interface ClientResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A GitRunner whose last receive-pack a test can trace, stop, continue and cut off. */
class WatchedRunner extends GitRunner {
  last: ReturnType<GitRunner['spawn']> | undefined;
  stopNext = false;
  environment: Record<string, string> = {};

  override spawn(...[args, options]: Parameters<GitRunner['spawn']>): ReturnType<GitRunner['spawn']> {
    if (!options.extraPipes) return super.spawn(args, options);
    const child = super.spawn(args, { ...options, env: { ...options.env, ...this.environment } });
    this.last = child;
    if (this.stopNext) child.kill('SIGSTOP');
    return child;
  }
}

export class GitTestServer {
  readonly directory: string;
  readonly path: string;
  readonly runner: WatchedRunner;
  readonly metrics = new Metrics();
  readonly pushes: Push[] = [];
  readonly requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  /** Replace any of these to make a test's own rules. */
  decisions: PushDecisions = {
    authorize: async () => ({}),
    updateRefs: (push) => this.moveRefs(push),
  };
  maxBytes: number | undefined;
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  #http: SmartHttp | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    this.path = join(directory, 'project.git');
    this.runner = new WatchedRunner({ log: createLog('silent'), metrics: this.metrics });
  }

  static async start(options: Partial<SmartHttpOptions> = {}): Promise<GitTestServer> {
    const server = new GitTestServer(await mkdtemp(join(tmpdir(), 'ingot-http-')));
    await run('git', [...CLIENT_CONFIG, 'init', '-q', '--bare', server.path]);
    server.#http = await SmartHttp.open({
      runner: server.runner,
      log: createLog('silent'),
      hooksDirectory: join(server.directory, 'hooks'),
      fsync: false,
      ...options,
    });
    await new Promise<void>((done) => server.#server.listen(0, '127.0.0.1', done));
    return server;
  }

  get http(): SmartHttp {
    return this.#http!;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/project.git`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
    this.runner.close();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The client's git; throws when it fails. */
  async git(cwd: string, ...args: string[]): Promise<string> {
    const result = await this.tryGit(cwd, ...args);
    if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
    return result.stdout.trim();
  }

  async tryGit(cwd: string, ...args: string[]): Promise<ClientResult> {
    const env = { PATH: process.env['PATH'], HOME: this.directory, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    try {
      const options = { cwd: join(this.directory, cwd), env, maxBuffer: 64 * 1024 * 1024 };
      return { code: 0, ...(await run('git', [...CLIENT_CONFIG, ...args], options)) };
    } catch (error) {
      const { code, stdout, stderr } = error as ClientResult;
      return { code, stdout, stderr };
    }
  }

  /** A client's work tree with `commits` commits on main (one file each), its remote `origin` set, nothing pushed. */
  async workTree(name: string, commits = 1): Promise<string> {
    await this.git('.', 'init', '-q', name);
    await this.git(name, 'remote', 'add', 'origin', this.url);
    await this.history(name, commits);
    await this.git(name, 'reset', '-q', '--hard');
    return name;
  }

  /** Puts commits on main in one process, which is a hundred times faster than `git commit`. */
  async history(tree: string, commits: number): Promise<void> {
    const exists = (await this.tryGit(tree, 'rev-parse', '-q', '--verify', 'refs/heads/main')).code === 0;
    const lines = Array.from({ length: commits }, (_, index) => {
      const content = `content ${index + 1} of ${tree}\n`;
      const from = index === 0 && exists ? 'from refs/heads/main^0\n' : '';
      const message = `Add file${index + 1}.txt\n`;
      return (
        `commit refs/heads/main\ncommitter Ann <ann@example.com> ${1_700_000_000 + index} +0000\n` +
        `data ${message.length}\n${message}${from}M 644 inline ${tree}${index + 1}.txt\ndata ${content.length}\n${content}\n`
      );
    });
    const cwd = join(this.directory, tree);
    await this.runner.run(['fast-import', '--quiet'], { cwd, input: lines.join('') });
  }

  async commit(tree: string, file: string, content: string | Buffer): Promise<string> {
    await writeFile(join(this.directory, tree, file), content);
    await this.git(tree, 'add', file);
    await this.git(tree, 'commit', '-q', '-m', `Add ${file}`);
    return this.git(tree, 'rev-parse', 'HEAD');
  }

  /** Every ref of the repository, as `name oid`. */
  async refs(): Promise<string[]> {
    const out = await this.git('project.git', 'for-each-ref', '--format=%(refname) %(objectname)');
    return out === '' ? [] : out.split('\n');
  }

  /** How many git processes of the service are alive. */
  async transfersRunning(): Promise<number> {
    const metrics = await this.metrics.registry.getSingleMetricAsString('ingot_git_processes');
    return Number(/^ingot_git_processes (\d+)$/m.exec(metrics)?.[1]);
  }

  /** The real thing: git's own transaction, all of the refs or one after the other. */
  async moveRefs(push: Push): Promise<RefResult[]> {
    this.pushes.push(push);
    if (push.atomic) {
      const moved = await this.#update(push.commands);
      return push.commands.map(({ ref }) => result(ref, moved));
    }
    const results: RefResult[] = [];
    for (const command of push.commands) results.push(result(command.ref, await this.#update([command])));
    return results;
  }

  async #update(commands: Push['commands']): Promise<boolean> {
    const input = commands.map(({ ref, old, new: target }) =>
      target === null ? `delete ${ref}\0${old ?? ZERO}\0` : `update ${ref}\0${target}\0${old ?? ZERO}\0`,
    );
    const args = ['update-ref', '--stdin', '-z'];
    return (await this.runner.tryRun(args, { cwd: this.path, input: input.join('') })).code === 0;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    this.requests.push({ url: request.url!, headers: request.headers });
    try {
      const { headers, stream } = await this.#answer(request, gone.signal);
      response.writeHead(200, headers);
      await pipeline(stream, response);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = error instanceof ApiError ? error.status : 500;
      response.writeHead(status).end();
    }
  }

  #answer(request: IncomingMessage, signal: AbortSignal) {
    const url = new URL(request.url!, this.url);
    const protocol = request.headers['git-protocol'] as string | undefined;
    const transfer = { path: this.path, protocol, signal };
    if (request.method === 'GET')
      return this.http.advertiseRefs({
        ...transfer,
        service: url.searchParams.get('service') as GitService,
      });
    const body = { ...transfer, body: request, contentEncoding: request.headers['content-encoding'] };
    return url.pathname.endsWith('/git-upload-pack')
      ? this.http.uploadPack(body)
      : this.http.receivePack({ ...body, ...this.decisions, maxBytes: this.maxBytes });
  }
}

function result(ref: string, moved: boolean): RefResult {
  return moved ? { ref, ok: true } : { ref, ok: false, reason: 'failed to update ref' };
}
