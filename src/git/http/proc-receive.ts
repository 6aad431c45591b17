import type { Duplex } from 'node:stream';
import { FLUSH, packet, readPackets } from './pkt-line.ts';
import { type PushCommand, parseCommand } from './push-head.ts';

export type RefResult = { ref: string; ok: true } | { ref: string; ok: false; reason: string };

/** Git shows a reason on one line beside the ref. */
const REASON_LIMIT = 500;
/** Packets that are put together without a pause. */
const BATCH = 500;

/**
 * The service's side of git's proc-receive hook (githooks, "proc-receive"): agree on version 1, read the commands, answer for
 * each ref. Returns without having called `update` when receive-pack never asks or ends before its last command.
 */
export async function answerProcReceive(
  socket: Duplex,
  update: (commands: PushCommand[]) => Promise<RefResult[]>,
): Promise<void> {
  const packets = readPackets(socket[Symbol.asyncIterator]());
  const offer = await section(packets, (payload) => payload.toString('latin1'));
  if (!offer) return;
  const version = /^version=(\d+)/.exec(offer[0] ?? '')?.[1];
  if (version !== '1') throw new Error(`git speaks version ${version} of the proc-receive protocol`);
  // No feature is asked for: push options and atomic are known from the head of the push.
  socket.write(Buffer.concat([packet('version=1\n'), FLUSH]));
  const commands = await section(packets, (payload) =>
    parseCommand(payload.toString('utf8').replace(/\n$/, '')),
  );
  if (commands) await report(socket, await update(commands));
}

/** undefined when the stream ends before the section does. */
async function section<T>(
  packets: AsyncGenerator<Buffer | null>,
  parse: (payload: Buffer) => T,
): Promise<T[] | undefined> {
  const parsed: T[] = [];
  for (let next = await packets.next(); !next.done; next = await packets.next()) {
    if (next.value === null) return parsed;
    parsed.push(parse(next.value));
  }
  return undefined;
}

async function report(socket: Duplex, results: RefResult[]): Promise<void> {
  for (let at = 0; at < results.length; at += BATCH) {
    const lines = Buffer.concat(results.slice(at, at + BATCH).map(reportLine));
    await new Promise((sent) => socket.write(lines, sent));
  }
  // The end of this side is what ends the hook.
  await new Promise<void>((sent) => socket.end(FLUSH, () => sent()));
  socket.destroy();
}

function reportLine(result: RefResult): Buffer {
  if (result.ok) return packet(`ok ${result.ref}\n`);
  const reason = result.reason.replace(/[\0-\x1f\x7f]+/g, ' ').slice(0, REASON_LIMIT) || 'failed';
  return packet(`ng ${result.ref} ${reason}\n`);
}
