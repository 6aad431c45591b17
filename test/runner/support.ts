import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type StockRunner, startRunner } from '../support/gitlab-runner.ts';
import type { TestService } from '../support/service.ts';

const run = promisify(execFile);

/** What these tests read of a job. */
export interface ShownJob {
  id: number;
  name: string;
  status: string;
  failure_reason?: string;
  coverage: number | null;
  runner: { id: number } | null;
}

/** A project in a service whose jobs the stock runner does. */
export class RunnerProject {
  readonly id: number;
  readonly path: string;
  readonly #service: TestService;

  private constructor(service: TestService, { id, path }: { id: number; path: string }) {
    this.#service = service;
    this.id = id;
    this.path = path;
  }

  static async make(service: TestService, path: string): Promise<RunnerProject> {
    const { status, body } = await service.api('POST', '/projects', { body: { path, name: path } });
    assert.equal(status, 201, JSON.stringify(body));
    return new RunnerProject(service, { id: body.id, path: body.path_with_namespace });
  }

  api(method: string, path: string, options: Parameters<TestService['api']>[2] = {}) {
    return this.#service.api(method, `/projects/${this.id}${path}`, options);
  }

  /** Pushes a commit with these files to `main`, and what else `git` is told to do in the tree. Gives its id. */
  async push(
    files: Record<string, string>,
    extra: (git: Git) => Promise<void> = async () => {},
  ): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-tree-'));
    const git: Git = async (...args) => (await run('git', ['-C', dir, ...IDENTITY, ...args])).stdout.trim();
    try {
      const { baseUrl, rootToken } = this.#service;
      const url = `${baseUrl.replace('://', `://root:${rootToken}@`)}/${this.path}.git`;
      await git('init', '-q', '-b', 'main');
      for (const [name, content] of Object.entries(files)) {
        const blob = await this.#blob(dir, content);
        await git('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
      }
      await extra(git);
      await git('commit', '-qm', 'Work');
      await git('push', '-q', '--force', url, 'main');
      return await git('rev-parse', 'HEAD');
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  async #blob(dir: string, content: string): Promise<string> {
    const child = run('git', ['-C', dir, 'hash-object', '-w', '--stdin']);
    child.child.stdin?.end(content);
    return (await child).stdout.trim();
  }

  /** The newest pipeline, once there is one. */
  async pipeline(sha?: string): Promise<{ id: number; status: string; yaml_errors: string | null }> {
    return until('a pipeline', async () => {
      const { body } = await this.api('GET', '/pipelines', { query: { ...(sha && { sha }) } });
      return body[0] ? (await this.api('GET', `/pipelines/${body[0].id}`)).body : null;
    });
  }

  async jobs(pipelineId: number): Promise<Map<string, ShownJob>> {
    const { body } = await this.api('GET', `/pipelines/${pipelineId}/jobs`, { query: { per_page: 100 } });
    return new Map((body as ShownJob[]).map((job) => [job.name, job]));
  }

  /** Waits until the job is in one of these states, and gives it. */
  job(id: number, ...statuses: string[]): Promise<ShownJob> {
    return until(`job ${id} ${statuses.join(' or ')}`, async () => {
      const { body } = await this.api('GET', `/jobs/${id}`);
      return statuses.includes(body.status) ? (body as ShownJob) : null;
    });
  }

  /** Waits until the pipeline is in one of these states. */
  ended(id: number, ...statuses: string[]): Promise<{ id: number; status: string; coverage: string | null }> {
    return until(`pipeline ${id} ${statuses.join(' or ')}`, async () => {
      const { body } = await this.api('GET', `/pipelines/${id}`);
      return statuses.includes(body.status) ? body : null;
    });
  }

  async log(jobId: number): Promise<string> {
    return (await this.api('GET', `/jobs/${jobId}/trace`)).text;
  }

  /** A stock runner of this project. */
  async runner(binary: string, flags: string[] = []): Promise<StockRunner> {
    const { body } = await this.#service.api('POST', '/user/runners', {
      body: { runner_type: 'project_type', project_id: this.id },
    });
    return startRunner(binary, { url: this.#service.baseUrl, token: body.token, flags });
  }
}

type Git = (...args: string[]) => Promise<string>;

const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];

const PATIENCE_MS = 40_000;

/** Asks again and again until there is an answer. */
export async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(100);
  }
}
