import { parentPort, workerData } from 'node:worker_threads';
import { readYaml } from './read.ts';
import { writeYaml } from './write.ts';
import type { YamlTask } from './yaml.ts';

/** Runs in a thread of its own, for one task: `workerData` is the task, the message it sends what comes of it. */

const task: YamlTask = workerData;
parentPort?.postMessage('text' in task ? await readYaml(task.text) : await writeYaml(task.tree));
