import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GitReply, GitService } from '../../git/http/protocol.ts';
import type { SmartHttp } from '../../git/http/smart-http.ts';
import { ApiError } from '../../platform/errors.ts';
import { ClientGone } from '../../platform/http/request.ts';
import type { Core } from '../core.ts';
import { type GitAccess, gitAccess } from './git-http-access.ts';
import { GitPush } from './git-push.ts';

/** GitLab's limit of nested groups, and the project below them. */
const MAX_DEPTH = 21;
const ADDRESS = /^\/(.+?)(\.git)?\/(?:info\/refs|git-upload-pack|git-receive-pack)\/?(?:\?|$)/;

/** `git clone`, `fetch` and `push` over HTTP, at `/group/project.git` and `/group/project.wiki.git`. */
export function gitHttpRoutes(server: FastifyInstance, core: Core, smartHttp: SmartHttp): void {
  server.register(async (git) => {
    // Packs are streams of any size: nothing may collect them in memory.
    git.removeAllContentTypeParsers();
    git.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    const handlers = new GitHttp(core, smartHttp);
    // One set for each depth: the router knows no wildcard before the end, and a catch-all would hide every 404.
    for (let depth = 2; depth <= MAX_DEPTH; depth++) {
      const project = Array.from({ length: depth }, (_, index) => `/:part${index}`).join('');
      const at = (pattern: string) => ({ config: { pattern: `/:project.git/${pattern}` } });
      git.get(`${project}/info/refs`, at('info/refs'), handlers.advertise);
      git.post(`${project}/git-upload-pack`, at('git-upload-pack'), handlers.upload);
      git.post(`${project}/git-receive-pack`, at('git-receive-pack'), handlers.receive);
    }
  });
}

class GitHttp {
  readonly #core: Core;
  readonly #smartHttp: SmartHttp;

  constructor(core: Core, smartHttp: SmartHttp) {
    this.#core = core;
    this.#smartHttp = smartHttp;
  }

  readonly advertise = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { path, hasSuffix } = addressOf(request);
    if (!hasSuffix) return reply.redirect(withSuffix(request), 301);
    const { service } = request.query as { service?: unknown };
    if (service !== 'git-upload-pack' && service !== 'git-receive-pack') {
      throw new ApiError('git_refused', { text: 'Only git clients of version 1.6.6 and later are served.' });
    }
    const access = await this.#access(request, path, service);
    return send(
      reply,
      await this.#smartHttp.advertiseRefs({ service, ...this.#transfer(request, reply, access) }),
    );
  };

  readonly upload = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const access = await this.#access(request, addressOf(request).path, 'git-upload-pack');
    return send(reply, await this.#smartHttp.uploadPack(this.#body(request, reply, access)));
  };

  readonly receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const access = await this.#access(request, addressOf(request).path, 'git-receive-pack');
    const { authorize, updateRefs, messages } = new GitPush(this.#core, access);
    const megabytes = await this.#core.settings.get('receive_max_input_size');
    const maxBytes = megabytes === null ? undefined : megabytes * 1024 * 1024;
    const push = { ...this.#body(request, reply, access), authorize, updateRefs, messages, maxBytes };
    return send(reply, await this.#smartHttp.receivePack(push));
  };

  async #access(request: FastifyRequest, path: string, service: GitService): Promise<GitAccess> {
    const access = await gitAccess(this.#core, { path, service, headers: request.headers });
    if (access.caller) request.callerName = access.caller.user.username;
    return access;
  }

  #transfer(request: FastifyRequest, reply: FastifyReply, { target }: GitAccess) {
    const protocol = request.headers['git-protocol'];
    return {
      path: this.#core.repositoryOf(target.repository).path,
      signal: abortedWith(reply),
      ...(typeof protocol === 'string' && { protocol }),
    };
  }

  #body(request: FastifyRequest, reply: FastifyReply, access: GitAccess) {
    return {
      ...this.#transfer(request, reply, access),
      body: (request.body ?? request.raw) as Readable,
      contentEncoding: request.headers['content-encoding'],
    };
  }
}

/** From the address as sent: what the router has decoded could hold slashes that were none. */
function addressOf(request: FastifyRequest): { path: string; hasSuffix: boolean } {
  const match = ADDRESS.exec(request.raw.url ?? '');
  const path = decode(match?.[1] ?? '');
  // No project has such a name, and databases do not take it for text.
  if (path === null || path.includes('\0')) throw new ApiError('git_not_found');
  return { path, hasSuffix: match?.[2] !== undefined };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // escapes that are no text
  }
}

function withSuffix(request: FastifyRequest): string {
  return (request.raw.url ?? '').replace(/\/info\/refs\/?(?=\?|$)/, '.git/info/refs');
}

/** Ends the git process when the client goes away before it has its answer. */
function abortedWith(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}

function send(reply: FastifyReply, { headers, stream }: GitReply): FastifyReply {
  return reply.code(200).headers(headers).send(stream);
}
