import { parentPort, workerData } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { BadReport, parseJunit, type TestCase } from './parse.ts';

/** Reads one packed report and ends: what it takes in time and memory is taken from nobody else. */

export interface ReportToRead {
  packed: Uint8Array;
  maxBytes: number;
}

export type ReadReport = { cases: TestCase[] } | { error: string };

function read({ packed, maxBytes }: ReportToRead): ReadReport {
  try {
    const text = gunzipSync(packed, { maxOutputLength: maxBytes }).toString('utf8');
    return { cases: parseJunit(text) };
  } catch (error) {
    if (error instanceof BadReport) return { error: error.message };
    if (error instanceof RangeError) return { error: 'JUnit XML parsing failed: the report is too large' };
    return { error: 'JUnit XML parsing failed: the report is damaged' };
  }
}

parentPort?.postMessage(read(workerData as ReportToRead));
