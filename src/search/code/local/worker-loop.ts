import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.ts';

export interface LoopHandler<Call, Result> {
  handle(call: Call, options: { signal: AbortSignal; progress: ProgressSink }): Result | Promise<Result>;
  /** The last thing before the thread ends. */
  close(): void | Promise<void>;
}

export type ProgressSink = (progress: { done: number; total: number }) => void;

/** The thread's side of a WorkerHandle. */
export function serveCalls<Call, Result>(handler: LoopHandler<Call, Result>): void {
  const running = new Map<number, { controller: AbortController; over: Promise<void> }>();

  const serve = async (id: number, call: Call, { signal }: AbortController): Promise<void> => {
    try {
      const progress: ProgressSink = (state) =>
        tell({ kind: 'progress', id, progress: { what: 'files', ...state } });
      tell({ kind: 'result', id, result: await handler.handle(call, { signal, progress }) });
    } catch (error) {
      tell({ kind: 'failed', id, error, aborted: signal.aborted });
    } finally {
      running.delete(id);
    }
  };

  const stop = async (): Promise<void> => {
    for (const { controller } of running.values()) controller.abort();
    await Promise.all([...running.values()].map(({ over }) => over));
    await handler.close();
    parentPort!.close();
  };

  parentPort!.on('message', (message: ToWorker<Call>) => {
    if (message.kind === 'stop') {
      void stop();
    } else if (message.kind === 'abort') {
      running.get(message.id)?.controller.abort();
    } else {
      const controller = new AbortController();
      const entry = { controller, over: Promise.resolve() };
      running.set(message.id, entry);
      entry.over = serve(message.id, message.call, controller);
    }
  });
}

/** To the main thread. */
export function tell<Result>(message: FromWorker<Result>): void {
  parentPort!.postMessage(message);
}
