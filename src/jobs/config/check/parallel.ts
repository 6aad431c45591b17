import type { JobConfig, MatrixRow } from '../config.ts';
import { isList, isMap, scalarText, type Yaml } from '../yaml/value.ts';
import type { At } from './at.ts';
import { hashOf } from './values.ts';

const MAX_COPIES = 200;
/** Each value is part of the copy's name, which may have 255 letters. */
const MAX_KEYS = 128;

/** `parallel`: how many copies, or a matrix; null where there is none. */
export function parallelOf(at: At, value: Yaml | undefined): JobConfig['parallel'] {
  if (value === undefined || value === null) return null;
  if (isMap(value)) return matrixWithin(at, value);
  if (typeof value !== 'number') return at.fail('should be an integer or a hash');
  if (value < 1) return at.fail('config must be greater than or equal to 1');
  return value > MAX_COPIES ? at.fail(`config must be less than or equal to ${MAX_COPIES}`) : value;
}

function matrixWithin(at: At, value: Yaml): MatrixRow[] | null {
  const map = hashOf(at, value, ['matrix']);
  if (map && !map.has('matrix')) return at.fail('config missing required keys: matrix');
  return map && matrixOf(at.in('matrix'), map.get('matrix') ?? null);
}

/** The rows of a matrix; null after telling what is wrong with it. */
export function matrixOf(at: At, value: Yaml): MatrixRow[] | null {
  if (!isList(value) || value.length === 0) return at.fail('config should be an array of hashes');
  const rows = value.map((row) => rowOf(at, row));
  if (!rows.every((row) => row !== null)) return null;
  const count = rows.reduce((sum, row) => sum + combinations(row), 0);
  return count > MAX_COPIES ? at.fail(`config generates too many jobs (maximum is ${MAX_COPIES})`) : rows;
}

const combinations = (row: MatrixRow): number =>
  row.reduce((product, [, values]) => Math.min(product * values.length, MAX_COPIES + 1), 1);

function rowOf(at: At, value: Yaml): MatrixRow | null {
  if (!isMap(value)) return at.fail('config should be an array of hashes');
  if (value.size > MAX_KEYS) return at.in('variables').fail(`config is too long (maximum is ${MAX_KEYS})`);
  const row: MatrixRow = [];
  for (const [key, each] of value) {
    const values = (isList(each) ? each : [each]).map(scalarText);
    if (values.length === 0 || values.includes(null))
      return at.in('variables').fail('config should be a hash of key value pairs, value can be an array');
    row.push([key, values as string[]]);
  }
  return row.length === 0 ? at.in('variables').fail('config requires at least 1 item') : row;
}
