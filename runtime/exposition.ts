export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

type Description = Pick<Metric, "name" | "help">;

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The format is https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const expositionOf = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map((metric) => `${headOf(metric)}${metric.samples.map((sample) => lineOf(metric, sample)).join("")}`)
    .join("");

const headOf = ({ name, help, type }: Metric): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function lineOf({ name }: Metric, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

export const gauge = (description: Description, ...samples: readonly Sample[]): Metric => ({
  ...description,
  type: "gauge",
  samples,
});

const keyOf = (labels: Labels): string => Object.values(labels).join("\n");

const seriesOf = ({ suffix = "", labels = {} }: Sample): string => `${suffix}\n${JSON.stringify(labels)}`;

/** Adds up the counters and histograms that both processes have. */
export function summed(metrics: readonly Metric[], others: readonly Metric[]): readonly Metric[] {
  return metrics.map((metric) => {
    const samples = new Map(metric.samples.map((sample) => [seriesOf(sample), sample]));
    for (const sample of others.find(({ name }) => name === metric.name)?.samples ?? []) {
      const key = seriesOf(sample);
      const value = (samples.get(key)?.value ?? 0) + sample.value;
      samples.set(key, { ...sample, value });
    }
    return { ...metric, samples: [...samples.values()] };
  });
}

export class Counter {
  readonly #description: Description;
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(description: Description) {
    this.#description = description;
  }

  /**
   * `add(labels, 0)` creates a series before its first event. Without it, Prometheus's `rate` would miss that event.
   */
  add(labels: Labels, by = 1): void {
    const key = keyOf(labels);
    const series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, { labels, value: by });
    else series.value += by;
  }

  get metric(): Metric {
    return { ...this.#description, type: "counter", samples: [...this.#series.values()] };
  }
}

interface Observed {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
}

export class Histogram {
  readonly #description: Description;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Observed>();

  constructor(description: Description, bounds: readonly number[]) {
    this.#description = description;
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const observed = this.#seriesOf(labels);
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    const at = bucket === -1 ? this.#bounds.length : bucket;
    observed.counts[at] = (observed.counts[at] ?? 0) + 1;
    observed.sum += value;
  }

  #seriesOf(labels: Labels): Observed {
    const key = keyOf(labels);
    const series = this.#series.get(key) ?? { labels, counts: [...this.#bounds, 0].map(() => 0), sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  get metric(): Metric {
    const samples = [...this.#series.values()].flatMap((observed) => this.#samplesOf(observed));
    return { ...this.#description, type: "histogram", samples };
  }

  #samplesOf({ labels, counts, sum }: Observed): readonly Sample[] {
    let count = 0;
    const buckets = counts.map((each, i) => {
      count += each;
      return { suffix: "_bucket", labels: { ...labels, le: String(this.#bounds[i] ?? "+Inf") }, value: count };
    });
    return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
  }
}
