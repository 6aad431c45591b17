import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.ts';

/** What the thread knows of a call beside what is asked. */
export interface CallContext<Progress> {
  signal: AbortSignal;
  progress: (progress: Progress) => void;
}

export interface LoopHandler<Call, Result, Progress> {
  handle(call: Call, context: CallContext<Progress>): Result | Promise<Result>;
  /** The last thing before the thread ends. */
  close(): void | Promise<void>;
}

/** The thread's side of a WorkerHandle. */
export function serveCalls<Call, Result, Progress>(handler: LoopHandler<Call, Result, Progress>): void {
  const running = new Map<number, { controller: AbortController; over: Promise<void> }>();

  const serve = async (id: number, call: Call, { signal }: AbortController): Promise<void> => {
    try {
      const progress = (state: Progress) => tell({ kind: 'progress', id, progress: state });
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
export function tell<Result, Progress>(message: FromWorker<Result, Progress>): void {
  parentPort!.postMessage(message);
}
