import type { SearchStatus } from './status.ts';

const BAR_WIDTH = 30;
/** Where lines cannot be written over, one comes this often. */
const PLAIN_EVERY_MS = 5_000;
const MEBIBYTE = 1024 * 1024;

/** A progress bar on a terminal, a line now and then anywhere else. */
export class ProgressLine {
  readonly #out: NodeJS.WriteStream;
  /** The most projects that were pending at once: the whole, of which a part is done. */
  #most = 0;
  #plainAt = Number.NEGATIVE_INFINITY;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(status: SearchStatus): void {
    this.#most = Math.max(this.#most, status.pending_projects);
    const text = progressText(status, this.#most);
    if (this.#out.isTTY) {
      this.#out.write(`\r\x1b[K${text.slice(0, this.#out.columns - 1)}`);
    } else if (performance.now() - this.#plainAt > PLAIN_EVERY_MS) {
      this.#plainAt = performance.now();
      this.#out.write(`${text}\n`);
    }
  }

  /** Says how it ended: whether everything is indexed. */
  end(status: SearchStatus | null): boolean {
    if (this.#out.isTTY) this.#out.write('\r\x1b[K');
    this.#out.write(`${summaryText(status)}\n`);
    return (status?.pending_projects ?? 0) === 0;
  }
}

/** `[#####-----] 50 %  project 7: 1,200 of 3,000 files  3 projects left  12 s left` */
export function progressText(status: SearchStatus, most: number): string {
  const { running, pending_projects: pending } = status;
  const parts = running.map(({ done, total }) => (total > 0 ? done / total : 0));
  const done = most - pending + parts.reduce((sum, part) => sum + part, 0);
  const share = most === 0 ? 0 : Math.min(1, Math.max(0, done / most));
  const filled = Math.round(share * BAR_WIDTH);
  const current = running.map((build) => {
    const what = `project ${build.project_id}${build.wiki ? ' (wiki)' : ''}`;
    const left = build.seconds_left === null ? '' : `, ${build.seconds_left} s left`;
    return `${what}: ${grouped(build.done)} of ${grouped(build.total)} ${build.what}${left}`;
  });
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`;
  return [bar, `${pending} to go`, ...current].join('  ');
}

function summaryText(status: SearchStatus | null): string {
  if (status === null) return 'The running service has nothing to index.';
  const {
    indexed_blobs: blobs,
    indexed_projects: projects,
    bytes,
    failing,
    pending_projects: pending,
  } = status;
  const size = `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
  const lines = [
    `${grouped(blobs)} distinct files of ${grouped(projects)} projects are indexed, in ${size}.`,
  ];
  if (pending > 0) lines.push(`${grouped(pending)} projects are not indexed yet.`);
  for (const { project_id: id, wiki, attempts, error } of failing) {
    lines.push(`project ${id}${wiki ? ' (wiki)' : ''} failed ${attempts} times: ${error}`);
  }
  return lines.join('\n');
}

const grouped = (count: number): string => count.toLocaleString('en-US');
