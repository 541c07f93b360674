import type { JSX } from "preact";
import { lazy } from "./lazy.tsx";

export interface Series {
  readonly title: string;
  readonly tone: "accent" | "good" | "warn";
  readonly values: readonly number[];
}

export interface ChartProps {
  /** For screen readers, which get the numbers from a table or text elsewhere. */
  readonly label: string;
  /** Calendar days without gaps, such as `2026-03-01`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
}

const Canvas = lazy<ChartProps>(() => import("./chart-canvas.tsx"), <div class="chart-waiting" />);

export const Chart = (props: ChartProps): JSX.Element => (
  <figure class="chart" aria-label={props.label}>
    <Canvas {...props} />
  </figure>
);
