import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One count of a tally. */
export interface Cell {
  readonly labels: Readonly<Record<string, string | number>>;
  count: number;
}

export class Tally {
  readonly cells: Cell[] = [];

  /** A new cell; whoever asks keeps it. Cells of the same labels are added up. */
  cell(labels: Cell['labels']): Cell {
    const made = { labels, count: 0 };
    this.cells.push(made);
    return made;
  }
}

/**
 * What the service counts, one instance per service so that many can live in one process. Rooms add their own with
 * `counter`, `gauge` and `histogram`; asking again for a name returns the metric that is there.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #tallies = new Map<string, Tally>();

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return (
      (this.registry.getSingleMetric(name) as Counter | undefined) ??
      new Counter({ name, help, labelNames, registers: [this.registry] })
    );
  }

  /** For what is counted several times in every request: adding to a cell is an addition, and the counter is filled at each scrape. */
  tally(name: string, help: string, labelNames: string[]): Tally {
    const known = this.#tallies.get(name);
    if (known) return known;
    const made = new Tally();
    this.#tallies.set(name, made);
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { labels, count } of made.cells) this.inc(labels, count);
      },
    });
    return made;
  }

  /** `collect` is called at each scrape, for values that are cheaper to read than to keep. */
  gauge(
    name: string,
    help: string,
    labelNames: string[] = [],
    collect?: (gauge: Gauge) => void | Promise<void>,
  ): Gauge {
    return (
      (this.registry.getSingleMetric(name) as Gauge | undefined) ??
      new Gauge({
        name,
        help,
        labelNames,
        registers: [this.registry],
        ...(collect && {
          collect() {
            return collect(this as unknown as Gauge);
          },
        }),
      })
    );
  }

  histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return (
      (this.registry.getSingleMetric(name) as Histogram | undefined) ??
      new Histogram({ name, help, labelNames, buckets, registers: [this.registry] })
    );
  }
}
