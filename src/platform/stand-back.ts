import { setPriority } from 'node:os';

/**
 * Where there is too little processor for both, the main thread, which serves requests, goes before this one. On Linux a niceness
 * (1 to 19) is said of the calling thread alone; elsewhere it would be of the whole process, so nothing is done.
 */
export function standBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(niceness);
}
