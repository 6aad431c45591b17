import { resolve } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { GitConfig } from '../environment.ts';
import { Places } from '../places.ts';
import { GitFailed, type GitRunner } from '../process.ts';
import { ProcessOutput } from '../process-output.ts';
import { INTERNAL_REFS, type InternalRefs, receivePackConfig, uploadPackConfig } from './config.ts';
import { HOOK_PIPES, PROC_RECEIVE_FD, QUESTIONS_FD, writeHooks } from './hooks.ts';
import { FLUSH, packet } from './pkt-line.ts';
import { type GitReply, type GitService, isGzip, protocolEnvironment, replyHeaders } from './protocol.ts';
import { PushHead } from './push-head.ts';
import { type PushDecisions, PushSession } from './push-session.ts';
import { BodyCut, feed } from './request-body.ts';

export interface SmartHttpOptions {
  runner: GitRunner;
  log: Log;
  metrics?: Metrics | undefined;
  /** A folder of the service's own for the hooks that it gives to receive-pack. */
  hooksDirectory: string;
  internalRefs?: InternalRefs;
  /** Flush what a push brings to the disk before its refs may move (the default). */
  fsync?: boolean;
  /** Clones, fetches and pushes at once; the rest wait. */
  maxTransfers?: number;
  maxWaitMs?: number;
  /** A client that neither sends nor reads for this long is let go. */
  stallMs?: number;
}

export interface TransferRequest {
  /** The bare repository on disk, absolute. Whether the caller may use it has been decided. */
  path: string;
  /** The `Git-Protocol` header. */
  protocol?: string | undefined;
  /** Aborted when the client is gone. */
  signal?: AbortSignal | undefined;
}

export interface BodyRequest extends TransferRequest {
  /** As it came from the socket. */
  body: Readable;
  contentEncoding?: string | undefined;
}

export interface PushHttpRequest extends BodyRequest, PushDecisions {
  /** Largest pack, in bytes. */
  maxBytes?: number | undefined;
}

/** What a fetch asks for: 32 MiB are 650,000 commits that the client wants or has. */
const MAX_FETCH_BODY = 32 * 1024 * 1024;
/** Beside the pack, a push carries its commands. */
const MAX_PUSH_HEAD = 32 * 1024 * 1024;
/** No git compresses a push once more; this bounds what a client can make of a few bytes. */
const MAX_UNPACKED_PUSH = 1024 * 1024 * 1024;

/**
 * Git's smart HTTP protocol without the web server: each call gives the headers and the stream of the answer, or throws an
 * ApiError. Access is the caller's business, and so is every ref that a push moves.
 *
 * Transfers have places of their own: they last as long as the client likes, and a push needs a place of the GitRunner
 * while it holds one here, so that shared places could all be taken by pushes that wait for each other.
 */
export class SmartHttp {
  readonly #options: SmartHttpOptions;
  readonly #places: Places;
  readonly #refs: InternalRefs;
  readonly #stallMs: number;

  private constructor(options: SmartHttpOptions) {
    this.#options = options;
    this.#places = new Places(options.maxTransfers ?? 32, options.maxWaitMs ?? 30_000);
    this.#refs = options.internalRefs ?? INTERNAL_REFS;
    this.#stallMs = options.stallMs ?? 10 * 60_000;
    options.metrics?.gauge('ingot_git_transfers', 'clones, fetches and pushes under way', [], (gauge) =>
      gauge.set(this.#places.taken),
    );
    options.metrics?.gauge('ingot_git_transfers_waiting', 'transfers waiting for a place', [], (gauge) =>
      gauge.set(this.#places.waiting),
    );
  }

  /** Writes the hooks. Needs no close: every process ends with its stream, or with the GitRunner. */
  static async open(options: SmartHttpOptions): Promise<SmartHttp> {
    const hooksDirectory = resolve(options.hooksDirectory); // git would look for a relative one in each repository
    await writeHooks(hooksDirectory);
    return new SmartHttp({ ...options, hooksDirectory });
  }

  /** `GET info/refs?service=…` */
  async advertiseRefs(request: TransferRequest & { service: GitService }): Promise<GitReply> {
    const { service, protocol } = request;
    const environment = protocolEnvironment(service, protocol);
    // A version 2 answer has no service line (gitprotocol-http).
    const isVersion2 = environment['GIT_PROTOCOL'] === 'version=2';
    const prefix = isVersion2 ? undefined : Buffer.concat([packet(`# service=${service}\n`), FLUSH]);
    const { child, output } = await this.#start(service, request, {
      args: ['--http-backend-info-refs'],
      config: service === 'git-upload-pack' ? uploadPackConfig(this.#refs) : this.#receiveConfig(),
      prefix,
    });
    child.stdin.end();
    return reply(service, 'advertisement', output);
  }

  /** `POST git-upload-pack`: clone and fetch. */
  async uploadPack(request: BodyRequest): Promise<GitReply> {
    const gzip = isGzip(request.contentEncoding);
    const { child, output } = await this.#start('git-upload-pack', request, {
      // Ends a transfer whose client does not read.
      args: [`--timeout=${Math.ceil(this.#stallMs / 1000)}`],
      config: uploadPackConfig(this.#refs),
    });
    feed(request.body, child.stdin, { gzip, maxBytes: MAX_FETCH_BODY, stallMs: this.#stallMs }).catch(
      (error) => output.destroy(error),
    );
    return reply('git-upload-pack', 'result', output);
  }

  /** `POST git-receive-pack`: push. */
  async receivePack(request: PushHttpRequest): Promise<GitReply> {
    const gzip = isGzip(request.contentEncoding);
    const { child, output } = await this.#start('git-receive-pack', request, {
      config: this.#receiveConfig(request.maxBytes),
      extraPipes: HOOK_PIPES,
    });
    const head = new PushHead();
    const session = this.#session(request, child, output, head);
    output.once('close', () => session.close());
    void session.serve();
    feed(request.body, child.stdin, {
      gzip,
      maxBytes: (request.maxBytes ?? (gzip ? MAX_UNPACKED_PUSH : Number.POSITIVE_INFINITY)) + MAX_PUSH_HEAD,
      stallMs: this.#stallMs,
      through: head,
    }).catch((error) => output.destroy(error));
    return reply('git-receive-pack', 'result', output);
  }

  #receiveConfig(maxPackBytes?: number): GitConfig {
    const { hooksDirectory, fsync = true } = this.#options;
    return receivePackConfig(this.#refs, { hooksDirectory, fsync, maxPackBytes });
  }

  #session(
    request: PushHttpRequest,
    child: ChildProcess,
    output: ProcessOutput,
    head: PushHead,
  ): PushSession {
    return new PushSession({
      path: request.path,
      questions: child.stdio[QUESTIONS_FD] as Duplex,
      procReceive: child.stdio[PROC_RECEIVE_FD] as Duplex,
      request: () => head.request(),
      decisions: request,
      log: this.#options.log,
      ended: () => output.destroyed,
    });
  }

  async #start(service: GitService, request: TransferRequest, start: Start): Promise<Transfer> {
    const release = await this.#places.acquire(request.signal);
    try {
      return this.#spawn(service, request, start, release);
    } catch (error) {
      release(); // no file descriptor left, for one: there is no process whose end would
      throw error;
    }
  }

  #spawn(service: GitService, request: TransferRequest, start: Start, onClose: () => void): Transfer {
    const command = service.slice('git-'.length);
    const strict = command === 'upload-pack' ? ['--strict'] : [];
    const args = [command, '--stateless-rpc', ...strict, ...(start.args ?? []), request.path];
    const child = this.#options.runner.spawn(args, {
      cwd: request.path,
      config: start.config,
      env: protocolEnvironment(service, request.protocol),
      extraPipes: start.extraPipes ?? 0,
    });
    const output = new ProcessOutput(child, {
      signal: request.signal,
      prefix: start.prefix,
      // upload-pack and receive-pack tell the client of a failure by ERR packets, side band 3 and "unpack" lines.
      reportsInBand: true,
      endBy: service === 'git-receive-pack' ? 'input' : 'signal',
      onClose,
    });
    output.on('error', (error) =>
      this.#options.log.info({ err: error, command }, 'a git transfer ended early'),
    );
    return { child, output };
  }
}

type ChildProcess = ReturnType<GitRunner['spawn']>;

interface Start {
  args?: string[];
  config: GitConfig;
  prefix?: Buffer | undefined;
  extraPipes?: number;
}

interface Transfer {
  child: ChildProcess;
  output: ProcessOutput;
}

/** Waits for the first byte, so that a process that fails without a word still becomes an HTTP error. */
async function reply(
  service: GitService,
  kind: 'advertisement' | 'result',
  output: ProcessOutput,
): Promise<GitReply> {
  try {
    await output.started();
  } catch (error) {
    throw asApiError(error);
  }
  return { headers: replyHeaders(service, kind), stream: output };
}

function asApiError(error: unknown): unknown {
  if (error instanceof BodyCut) return new ApiError('request_timeout', {}, { cause: error });
  const clientsFault = error instanceof GitFailed && /protocol error|hung up unexpectedly/.test(error.stderr);
  return clientsFault ? new ApiError('malformed_request', {}, { cause: error }) : error;
}
