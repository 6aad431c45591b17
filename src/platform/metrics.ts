import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What the service counts, one instance per service so that many can live in one process. Rooms add their own with
 * `counter`, `gauge` and `histogram`; asking again for a name returns the metric that is there.
 */
export class Metrics {
  readonly registry = new Registry();

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return (
      (this.registry.getSingleMetric(name) as Counter | undefined) ??
      new Counter({ name, help, labelNames, registers: [this.registry] })
    );
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
