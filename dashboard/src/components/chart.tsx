import type { JSX } from "preact";
import { lazy } from "./lazy.tsx";

export interface Series {
  readonly title: string;
  /** `faint` is for what others are compared with: a dashed line. */
  readonly tone: "accent" | "good" | "warn" | "faint";
  /** Null: no value. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** For screen readers, which get the numbers from a table or text elsewhere. */
  readonly label: string;
  /** Calendar days without gaps, such as `2026-03-01`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Where a point stands for more than its day, such as a week. */
  readonly titles?: readonly string[];
  /** The last point isn't over yet. */
  readonly isLastOpen?: boolean;
  readonly format?: (value: number) => string;
  /** Shorter than `format`. */
  readonly formatAxis?: (value: number) => string;
}

function loadCanvas() {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    // As it loads, uPlot gives this to `Intl`, which throws if it isn't a language tag: Chromium may say "en-US@posix".
    Object.defineProperty(navigator, "language", { value: undefined });
  }
  return import("./chart-canvas.tsx");
}

const Canvas = lazy<ChartProps>(loadCanvas, <div class="chart-waiting" />);

export const Chart = (props: ChartProps): JSX.Element => (
  <figure class="chart" aria-label={props.label}>
    <Canvas {...props} />
  </figure>
);
