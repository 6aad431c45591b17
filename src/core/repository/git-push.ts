import type { RefResult } from '../../git/http/proc-receive.ts';
import type { PushCommand } from '../../git/http/push-head.ts';
import type { Push, PushDecisions, QuarantinedPush } from '../../git/http/push-session.ts';
import { InvalidRef, RefConflict, RefNameClash } from '../../git/ref-update.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Core } from '../core.ts';
import type { GitAccess } from './git-http-access.ts';
import type { RefOrigin } from './ref-updates.ts';

/** They are kept in events, for days and for every ref. */
const MAX_OPTIONS_LENGTH = 8192;
/** Refs that git moves in one go; as many as a mirror push of a large project has, in a few steps. */
const BATCH = 2000;
/** Of a larger push GitLab begins pipelines for this many refs only: it is a mirror's. */
const FEW = 4;

/** What the service decides of one `git push`: whether it is allowed, and how its refs move. */
export class GitPush implements PushDecisions {
  readonly #core: Core;
  readonly #access: GitAccess;

  constructor(core: Core, access: GitAccess) {
    this.#core = core;
    this.#access = access;
  }

  readonly authorize = async (push: QuarantinedPush): Promise<{ refuse?: string }> => {
    if (JSON.stringify(push.pushOptions).length > MAX_OPTIONS_LENGTH) {
      return { refuse: 'The push options are too long.' };
    }
    const refusalOf = await this.#access.target.pushRules();
    for (const command of push.commands) {
      const refuse = await refusalOf(command, () => this.#leavesCommits(command, push.env));
      if (refuse !== null) return { refuse };
    }
    return {};
  };

  readonly updateRefs = async (push: Push): Promise<RefResult[]> => {
    if (push.atomic) return this.#move(push.commands, push);
    const results: RefResult[] = [];
    for (let at = 0; at < push.commands.length; at += BATCH) {
      results.push(...(await this.#moveEach(push.commands.slice(at, at + BATCH), push)));
    }
    return results;
  };

  readonly messages = async (): Promise<string> => {
    const { target, movedFrom } = this.#access;
    if (movedFrom === null) return '';
    const address = `${this.#core.baseUrl()}/${target.address}`;
    return [
      '',
      `Project '${movedFrom}' was moved to '${target.address.replace(/\.git$/, '')}'.`,
      '',
      'Please update your Git remote:',
      '',
      `  git remote set-url origin ${address}`,
      '',
    ].join('\n');
  };

  /** Whether the old commit is not among the ancestors of the new one, which only the quarantine has. */
  async #leavesCommits(command: PushCommand, env: Record<string, string>): Promise<boolean> {
    if (command.old === null || command.new === null) return false;
    const repo = this.#core.repositoryOf(this.#access.target.repository);
    const args = ['merge-base', '--is-ancestor', command.old, command.new];
    const { code } = await repo.tryRun(args, { env });
    return code !== 0;
  }

  /** All at once where that works, which it nearly always does; else each for itself, as git does. */
  async #moveEach(commands: PushCommand[], push: Push): Promise<RefResult[]> {
    const together = await this.#move(commands, push);
    if (commands.length === 1 || together.every((result) => result.ok)) return together;
    const results: RefResult[] = [];
    for (const command of commands) results.push(...(await this.#move([command], push)));
    return results;
  }

  async #move(commands: PushCommand[], { pushOptions, commands: all }: Push): Promise<RefResult[]> {
    const { caller, target } = this.#access;
    const origin: RefOrigin = { userId: caller?.user.id ?? null, via: 'push' };
    if (pushOptions.length > 0) origin.pushOptions = pushOptions;
    if (all.length > FEW) origin.firstRefs = all.slice(0, FEW).map(({ ref }) => ref);
    try {
      await this.#core.refUpdates.update(target.repository, commands, origin);
      return commands.map(({ ref }) => ({ ref, ok: true }));
    } catch (error) {
      const reason = reasonOf(error);
      return commands.map(({ ref }) => ({ ref, ok: false, reason }));
    }
  }
}

/** Short, for the line beside the ref; what is our own fault goes on to the log. */
function reasonOf(error: unknown): string {
  if (error instanceof RefConflict) return 'the ref has moved meanwhile, fetch first';
  if (error instanceof RefNameClash) return 'another ref has this name as a folder, or is a folder of it';
  if (error instanceof InvalidRef) return 'not a valid name, or not a commit';
  if (error instanceof ApiError && error.status < 500) return error.message;
  throw error;
}
