import "uplot/dist/uPlot.min.css";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { useSignal } from "../api/signal.ts";
import { formatCount, formatDay } from "../format.ts";
import { locale } from "../locale.ts";
import { theme } from "../theme.ts";
import type { ChartProps, Series } from "./chart.tsx";

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

const tokens = { accent: "accent", good: "good-mark", warn: "warn-mark", faint: "ink-faint" } as const;
const tokenOf = (tone: Series["tone"]) => tokens[tone];
const forcedColors = "(forced-colors: active)";

interface Point {
  readonly index: number;
  /** Pixels from the plot's start. */
  readonly left: number;
}

const solid = { width: 2, dash: [] };
const dashed = { width: 1.5, dash: [4, 4] };

interface Line {
  readonly series: Series;
  readonly values: readonly (number | null)[];
  readonly isDashed: boolean;
}

/** A line to a point that isn't over yet is dashed, so it is a line of its own. */
function linesOf({ days, series, isLastOpen = false }: ChartProps): readonly Line[] {
  const last = days.length - 1;
  return series.flatMap((each): Line[] => {
    const { values, tone } = each;
    if (tone === "faint") return [{ series: each, values, isDashed: true }];
    if (!isLastOpen || last < 1) return [{ series: each, values, isDashed: false }];
    return [
      { series: each, values: values.map((value, i) => (i < last ? value : null)), isDashed: false },
      { series: each, values: values.map((value, i) => (i >= last - 1 ? value : null)), isDashed: true },
    ];
  });
}

/** A single day in the middle of its own. */
const rangeOfDays = (min: number, max: number): [number, number] =>
  min === max ? [min - daySeconds / 2, max + daySeconds / 2] : [min, max];

function draw(container: HTMLElement, props: ChartProps, onPoint: (point: Point | undefined) => void): UPlot {
  const { days, format = formatCount, formatAxis = format } = props;
  const { fontSize, fontFamily } = getComputedStyle(container);
  const axis = { stroke: color(container, "ink-faint"), font: `${fontSize} ${fontFamily}`, ticks: { show: false } };
  const lines = linesOf(props);
  const isSingle = days.length === 1;
  const isFilled =
    props.series.filter(({ tone }) => tone !== "faint").length === 1 && !matchMedia(forcedColors).matches;
  const options: UPlot.Options = {
    width: container.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "UTC"),
    cursor: { y: false, drag: { x: false }, points: { show: !isSingle } },
    scales: {
      x: { range: (_, min, max) => rangeOfDays(min, max) },
      y: { range: (_, min, max) => [Math.min(0, min), Math.max(max, 1) * 1.05] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        incrs: daySteps,
        space: 64,
        values: (_, marks) =>
          marks.map((mark) => (isSingle && mark !== secondsOf(days[0] ?? "") ? "" : shortDay.format(mark * 1000))),
      },
      {
        ...axis,
        size: (_, values) => 14 + 7 * Math.max(3, ...(values ?? []).map(({ length }) => length)),
        grid: { stroke: color(container, "line"), width: 1 },
        incrs: wholeSteps,
        values: (_, marks) => marks.map(formatAxis),
      },
    ],
    series: [
      {},
      ...lines.map(({ series: { title, tone }, isDashed }) => ({
        label: title,
        stroke: color(container, tokenOf(tone)),
        ...(isDashed ? dashed : solid),
        points: { show: isSingle, size: 8 },
        ...(isFilled && tone !== "faint" && { fill: color(container, `${tone}-soft`) }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => onPoint(cursor.idx == null ? undefined : { index: cursor.idx, left: cursor.left ?? 0 }),
      ],
    },
  };
  return new UPlot(options, [days.map(secondsOf), ...lines.map(({ values }) => [...values])], container);
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
  const { days, series, titles, format = formatCount } = props;
  const container = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(undefined);
  const [pointed, setPointed] = useState<Point>();
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
    const queries = ["(prefers-color-scheme: dark)", forcedColors].map((query) => matchMedia(query));
    for (const query of queries) query.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      for (const query of queries) query.removeEventListener("change", redraw);
      drawn.current?.destroy();
      drawn.current = undefined;
      setPointed(undefined);
    };
  }, [JSON.stringify([days, series]), chosen]);

  const pointAt = (day: number) => {
    const { current } = drawn;
    const [seconds] = days.slice(day, day + 1).map(secondsOf);
    if (current && seconds !== undefined) current.setCursor({ left: current.valToPos(seconds, "x"), top: 1 });
  };
  const last = days.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    pointAt(Math.max(0, Math.min(last, (pointed?.index ?? (step < 0 ? last + 1 : -1)) + step)));
  };

  const shown = pointed?.index ?? last;
  const title = titles?.[shown] ?? formatDay(days[shown] ?? "1970-01-01");
  const known = series.flatMap(({ title, tone, values }) => {
    const value = values[shown];
    return value == null ? [] : [{ title, tone, text: format(value) }];
  });
  return (
    <>
      <figcaption class="chart-readout">
        {series.map(({ title, tone }) => (
          <span key={title} class="chart-key">
            <span class={`chart-swatch ${tone}`} />
            {title}
          </span>
        ))}
      </figcaption>
      <div class="chart-area">
        <div
          ref={container}
          class="chart-plot"
          role="slider"
          tabIndex={0}
          aria-label={`${props.label}. Use the arrow keys to choose a day.`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={Math.max(0, shown)}
          aria-valuetext={`${title}: ${known.map(({ title, text }) => `${title} ${text}`).join(", ")}`}
          onKeyDown={onKeyDown}
          onBlur={() => drawn.current?.setCursor({ left: -10, top: -10 })}
        />
        {pointed !== undefined && <Tip title={title} known={known} place={tipPlace(pointed, drawn.current)} />}
      </div>
    </>
  );
}

type Place = Readonly<Partial<Record<"left" | "right", string>>>;

interface TipProps {
  readonly title: string;
  readonly known: readonly { readonly title: string; readonly tone: Series["tone"]; readonly text: string }[];
  readonly place: Place;
}

const Tip = ({ title, known, place }: TipProps): JSX.Element => (
  <div class="chart-tip" style={place}>
    <strong>{title}</strong>
    {known.map(({ title, tone, text }) => (
      <span key={title}>
        <span class={`chart-swatch ${tone}`} /> {title} <b class="figures">{text}</b>
      </span>
    ))}
  </div>
);

/** Beside the pointer, on the side with more room. */
function tipPlace({ left }: Point, plot: UPlot | undefined): Place {
  const ratio = devicePixelRatio;
  const [start, width] = plot === undefined ? [0, 0] : [plot.bbox.left / ratio, plot.width];
  const x = start + left;
  return x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
}
