import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * A thread that runs `file`. It shares the compile cache of the process, if that has one, which threads do not by themselves:
 * without it each of them loads the compiler of types, 20 MB and 80 ms.
 * @param maxYoungMb memory for short-lived values; the default grows to over 100 MB in a thread that makes many
 */
export function startThread(file: URL, data: unknown, maxYoungMb: number): Worker {
  const cache = getCompileCacheDir(); // a folder of this version of Node in the one to name
  return new Worker(file, {
    workerData: data,
    execArgv: [], // options of the process may make no sense for a file: `--input-type`
    resourceLimits: { maxYoungGenerationSizeMb: maxYoungMb },
    env: cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) },
  });
}
