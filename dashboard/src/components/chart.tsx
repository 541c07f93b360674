import type { JSX } from "preact";
import { lazy } from "./lazy.tsx";

export interface Series {
  readonly title: string;
  readonly tone: "accent" | "good" | "warn";
  /** One for each day. */
  readonly values: readonly number[];
}

export interface ChartProps {
  /** What it shows, for whoever doesn't see it: the figures themselves stand in a table or in words elsewhere. */
  readonly label: string;
  /** Calendar days, `2026-03-01`, without a gap. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** A value as it is written at the axis and the pointer. Default: as a count. */
  readonly format?: (value: number) => string;
}

const Canvas = lazy<ChartProps>(() => import("./chart-canvas.tsx"), <div class="chart-waiting" />);

/** Lines over days. What draws them is loaded with the first. */
export const Chart = (props: ChartProps): JSX.Element => (
  <figure class="chart" aria-label={props.label}>
    <Canvas {...props} />
  </figure>
);
