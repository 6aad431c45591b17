import { hash } from 'node:crypto';

const CELLS = 5;
const CELL_SIZE = 16;
const MARGIN = 8;
const SIZE = CELLS * CELL_SIZE + 2 * MARGIN;

/**
 * A picture of somebody as SVG: five by five cells, mirrored, drawn from a hash of his user name. It holds numbers only, so
 * there is nothing in it to escape, and nothing of him to read.
 */
export function identicon(username: string): string {
  const bytes = hash('sha256', username.toLowerCase(), 'buffer');
  const hue = Math.round(((bytes[0] ?? 0) / 256) * 360);
  const cells: string[] = [];
  for (let row = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++) {
      const mirrored = Math.min(column, CELLS - 1 - column);
      if (((bytes[1 + row * 3 + mirrored] ?? 0) & 1) === 1) cells.push(cell(row, column));
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">` +
    `<rect width="${SIZE}" height="${SIZE}" fill="hsl(${hue},30%,92%)"/>` +
    `<path fill="hsl(${hue},55%,45%)" d="${cells.join('')}"/></svg>`
  );
}

const cell = (row: number, column: number) =>
  `M${MARGIN + column * CELL_SIZE} ${MARGIN + row * CELL_SIZE}h${CELL_SIZE}v${CELL_SIZE}h-${CELL_SIZE}z`;
