import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { splitLines } from '../lines.ts';
import { answerProcReceive, type RefResult } from './proc-receive.ts';
import { type PushCommand, type PushRequest, parseCommand } from './push-head.ts';

export interface Push {
  /** In the order in which the client sent them. */
  commands: PushCommand[];
  atomic: boolean;
  pushOptions: string[];
}

export interface QuarantinedPush extends Push {
  /** Makes a git process see the objects of the push, which no other process sees before the push is allowed. */
  env: Record<string, string>;
}

export interface PushDecisions {
  /** Asked while the objects are still in quarantine. A refusal is shown to the client, and the objects are dropped. */
  authorize(push: QuarantinedPush): Promise<{ refuse?: string }>;
  /** Moves the refs. The objects are in the repository by now. Every ref is to be answered for. */
  updateRefs(push: Push): Promise<RefResult[]>;
  /** Text for the client after the push (a link to open a merge request). Asked when at least one ref has moved. */
  messages?(moved: PushCommand[]): Promise<string>;
}

export interface PushSessionOptions {
  path: string;
  questions: Duplex;
  procReceive: Duplex;
  request: () => Promise<PushRequest>;
  decisions: PushDecisions;
  log: Log;
  /** True when the client is gone or the process was ended: nothing may move any more. */
  ended: () => boolean;
}

const REFUSED = 'You are not allowed to push to this project.';

/** What the service answers to the hooks of one receive-pack process. */
export class PushSession {
  readonly #options: PushSessionOptions;
  #allowed = new Set<string>();

  constructor(options: PushSessionOptions) {
    this.#options = options;
    const { questions, procReceive } = options;
    for (const socket of [questions, procReceive]) socket.on('error', () => {}); // the process is gone; its stream tells
  }

  /** Answers until the process ends. Never rejects. */
  async serve(): Promise<void> {
    try {
      await Promise.all([this.#answerQuestions(), this.#moveRefs()]);
    } catch (error) {
      if (!this.#options.ended()) this.#options.log.error({ err: error }, 'a push could not be served');
      this.close();
    }
  }

  /** Ends the conversation. A hook that still waits for its answer takes that for a refusal. */
  close(): void {
    this.#options.questions.destroy();
    this.#options.procReceive.destroy();
  }

  async #answerQuestions(): Promise<void> {
    const { questions } = this.#options;
    let opening: string | undefined;
    let commands: PushCommand[] = [];
    for await (const bytes of splitLines(questions)) {
      const line = bytes.toString('utf8');
      if (opening === undefined) {
        opening = line;
        continue;
      }
      if (line !== '') {
        commands.push(parseCommand(line));
        continue;
      }
      questions.write(await this.#answer(opening, commands));
      opening = undefined;
      commands = [];
    }
  }

  async #answer(opening: string, commands: PushCommand[]): Promise<string> {
    if (opening.startsWith('pre-receive '))
      return this.#authorize(commands, opening.slice('pre-receive '.length));
    const text = (await this.#options.decisions.messages?.(commands)) ?? '';
    return `${shown(text)}accept\n`;
  }

  async #authorize(commands: PushCommand[], quarantine: string): Promise<string> {
    const refusal = await this.#refusal(commands, quarantine);
    if (refusal !== undefined) return `${shown(`GitLab: ${refusal}`)}refuse\n`;
    this.#allowed = new Set(commands.map(keyOf));
    return 'accept\n';
  }

  async #refusal(commands: PushCommand[], quarantine: string): Promise<string | undefined> {
    const { request, decisions, log, ended } = this.#options;
    try {
      const { problem, atomic, pushOptions } = await request();
      if (problem) return problem;
      const env = quarantineEnvironment(this.#options.path, quarantine);
      return (await decisions.authorize({ commands, atomic, pushOptions, env })).refuse;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return error.message || REFUSED;
      if (!ended()) log.error({ err: error }, 'a push could not be checked');
      return 'Internal API error';
    }
  }

  async #moveRefs(): Promise<void> {
    await answerProcReceive(this.#options.procReceive, async (commands) => {
      const { atomic, pushOptions, commands: sent } = await this.#options.request();
      const refused = (reason: string) => commands.map(({ ref }) => ({ ref, ok: false as const, reason }));
      // Git skips a hook that it finds not executable (a data folder mounted noexec), so it is checked that ours was asked.
      if (!commands.every((command) => this.#allowed.has(keyOf(command)))) return refused('not authorized');
      // Receive-pack asks only about what it has not refused itself, and would let the rest of an atomic push through.
      if (atomic && commands.length !== sent.length) return refused('atomic push failure');
      if (this.#options.ended()) return refused('the push was broken off');
      return this.#update({ commands, atomic, pushOptions });
    });
  }

  async #update(push: Push): Promise<RefResult[]> {
    let results: RefResult[] = [];
    try {
      results = await this.#options.decisions.updateRefs(push);
    } catch (error) {
      this.#options.log.error({ err: error }, 'the refs of a push could not be moved');
    }
    const byRef = new Map(results.map((result) => [result.ref, result]));
    return push.commands.map(({ ref }) => byRef.get(ref) ?? { ref, ok: false, reason: 'internal error' });
  }
}

/** Each line is marked, so that no text can pass for a verdict. */
function shown(text: string): string {
  const lines = text.replace(/[\0\r\x1b\x7f]/g, '').split('\n');
  return text === '' ? '' : lines.map((line) => `|${line}\n`).join('');
}

function quarantineEnvironment(path: string, quarantine: string): Record<string, string> {
  if (quarantine === '') return {}; // a push that only deletes brings no objects
  return {
    GIT_QUARANTINE_PATH: quarantine,
    GIT_OBJECT_DIRECTORY: quarantine,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(path, 'objects'),
  };
}

const keyOf = (command: PushCommand) => `${command.old} ${command.new} ${command.ref}`;
