import type { IncomingMessage } from 'node:http';
import { optional, param } from '../../platform/http/params.ts';
import type { RunnerContact } from './contact.ts';

/** GitLab's name for the machine of a runner that does not say. */
const NO_SYSTEM = '<legacy>';

export const SYSTEM_ID_PARAM = optional(
  param.string({ maxLength: 64, description: 'Which of the machines that share the token it is.' }),
);

interface RunnerCall {
  params: { system_id?: string | null; info?: Record<string, unknown> | null };
  incoming: IncomingMessage;
}

/** What a call of a runner tells of it. */
export const contactOf = ({ params, incoming }: RunnerCall): RunnerContact => ({
  systemId: params.system_id || NO_SYSTEM,
  info: params.info ?? {},
  ip: incoming.socket.remoteAddress ?? null,
});
