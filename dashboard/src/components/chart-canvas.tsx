import "uplot/dist/uPlot.min.css";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { useSignal } from "../api/signal.ts";
import { formatCount, formatDay } from "../format.ts";
import { locale } from "../locale.ts";
import { theme } from "../theme.ts";
import type { ChartProps } from "./chart.tsx";

const height = 240;
const daySeconds = 86_400;
const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

const wholeSteps = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const daySteps = [1, 2, 3, 4, 7, 14, 30, 60, 90, 180, 365].map((days) => days * daySeconds);

/** Resolves a CSS variable, which a canvas doesn't. */
function color(container: HTMLElement, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${token})`;
  container.appendChild(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const tokenOf = (tone: ChartProps["series"][number]["tone"]) => (tone === "accent" ? "accent" : `${tone}-mark`);

function draw(
  container: HTMLElement,
  { days, series, format = formatCount }: ChartProps,
  onPoint: (day: number | undefined) => void,
): UPlot {
  const { fontSize, fontFamily } = getComputedStyle(container);
  const axis = { stroke: color(container, "ink-faint"), font: `${fontSize} ${fontFamily}`, ticks: { show: false } };
  const isSingle = series.length === 1;
  const options: UPlot.Options = {
    width: container.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "UTC"),
    cursor: { y: false, drag: { x: false } },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), Math.max(max, 1) * 1.05] } },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        incrs: daySteps,
        space: 64,
        values: (_, marks) => marks.map((mark) => shortDay.format(mark * 1000)),
      },
      {
        ...axis,
        size: (_, values) => 14 + 7 * Math.max(3, ...(values ?? []).map(({ length }) => length)),
        grid: { stroke: color(container, "line"), width: 1 },
        incrs: wholeSteps,
        values: (_, marks) => marks.map(format),
      },
    ],
    series: [
      {},
      ...series.map(({ title, tone }) => ({
        label: title,
        stroke: color(container, tokenOf(tone)),
        width: 2,
        points: { show: days.length === 1 },
        ...(isSingle && { fill: color(container, `${tone}-soft`) }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
  return new UPlot(options, [days.map(secondsOf), ...series.map(({ values }) => [...values])], container);
}

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -7,
  PageUp: 7,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export default function ChartCanvas(props: ChartProps): JSX.Element {
  const { days, series, format = formatCount } = props;
  const container = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(undefined);
  const [pointed, setPointed] = useState<number>();
  const chosen = useSignal(theme);

  useLayoutEffect(() => {
    const { current } = container;
    if (current === null) return;
    const redraw = () => {
      drawn.current?.destroy();
      drawn.current = draw(current, props, setPointed);
    };
    redraw();
    const resized = new ResizeObserver(() => drawn.current?.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", redraw);
      drawn.current?.destroy();
      drawn.current = undefined;
    };
  }, [JSON.stringify([days, series]), chosen]);

  const pointAt = (day: number) => {
    const { current } = drawn;
    const [seconds] = days.slice(day, day + 1).map(secondsOf);
    if (current && seconds !== undefined) current.setCursor({ left: current.valToPos(seconds, "x"), top: 1 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const last = days.length - 1;
    pointAt(Math.max(0, Math.min(last, (pointed ?? (step < 0 ? last + 1 : -1)) + step)));
  };

  const shown = pointed ?? days.length - 1;
  const day = days[shown];
  const written = (values: readonly number[]) => format(values[shown] ?? 0);
  const said = series.map(({ title, values }) => `${title} ${written(values)}`).join(", ");
  return (
    <>
      <figcaption class="chart-readout">
        {series.map(({ title, tone, values }) => (
          <span key={title} class="chart-key">
            <span class={`chart-swatch ${tone}`} />
            {title} {pointed !== undefined && <strong>{written(values)}</strong>}
          </span>
        ))}
        {pointed !== undefined && day !== undefined && <span>{formatDay(day)}</span>}
      </figcaption>
      <div
        ref={container}
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={`${props.label}. Use the arrow keys to choose a day.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, days.length - 1)}
        aria-valuenow={shown}
        aria-valuetext={day === undefined ? "No day" : `${formatDay(day)}: ${said}`}
        onKeyDown={onKeyDown}
        onBlur={() => drawn.current?.setCursor({ left: -10, top: -10 })}
      />
    </>
  );
}
