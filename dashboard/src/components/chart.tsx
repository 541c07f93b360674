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
