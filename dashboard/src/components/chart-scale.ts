const wholeSteps = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const maxMarks = 7;

export interface Scale {
  readonly min: number;
  readonly max: number;
  /** The values of the axis labels: multiples of one step, including 0. All values lie between the first and the last. */
  readonly marks: readonly number[];
}

export function scaleOf(values: readonly number[]): Scale {
  const lowest = Math.min(0, ...values);
  const highest = Math.max(lowest < 0 ? 0 : 1, ...values);
  const step = wholeSteps.find((each) => Math.ceil(highest / each) - Math.floor(lowest / each) < maxMarks) ?? highest;
  const first = Math.floor(lowest / step);
  const last = Math.ceil(highest / step);
  const marks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return { min: first * step, max: last * step, marks };
}

/** Indices of the points to label, at least `minSpace` pixels apart. The last point always has a label. */
export function labelled(xs: readonly number[], minSpace: number): readonly number[] {
  const [first = 0, last = first] = [xs[0], xs.at(-1)];
  const every = Math.max(1, Math.ceil((minSpace * (xs.length - 1)) / Math.max(1, last - first)));
  return xs.flatMap((_, i) => ((xs.length - 1 - i) % every === 0 ? [i] : []));
}
