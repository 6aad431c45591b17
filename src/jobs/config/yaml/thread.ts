import { parentPort, workerData } from 'node:worker_threads';
import { Assembly, type Part, partsOf } from './parts.ts';
import { readYaml } from './read.ts';
import type { FromThread } from './threads.ts';
import { writeYaml } from './write.ts';

/** Runs in a thread of its own, for one task: it reads the text in `workerData`, or writes the tree whose parts it is sent. */

const tell = (message: FromThread) => parentPort?.postMessage(message);

if (typeof workerData === 'string') {
  const result = await readYaml(workerData);
  if ('error' in result) tell(result);
  else for (const part of partsOf(result.documents)) tell(part);
} else {
  const tree = new Assembly();
  parentPort?.on('message', async (part: Part) => {
    if (tree.add(part)) tell({ text: await writeYaml(tree.documents[0] ?? null) });
  });
}
