import type { Core } from '../../core/core.ts';
import type { Tx } from '../../platform/db/tables.ts';
import './events.ts';

/** Whoever waits with this runner's token is to look again what it may do. */
export async function announceRunner(
  tx: Tx,
  { events }: Pick<Core, 'events'>,
  runnerId: number,
): Promise<void> {
  await events.publish(tx, { type: 'runner.updated', stream: `runner:${runnerId}`, payload: { runnerId } });
}
