import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatDay } from "../format.ts";
import { dateLocale } from "../locale.ts";
import { labelled, scaleOf } from "./chart-scale.ts";

export interface Series {
  readonly title: string;
  /** `faint` is a dashed line, for the values to compare with. */
  readonly tone: "accent" | "good" | "warn" | "faint";
  /** Null where the line has no value. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** The chart's label for screen readers, which get its numbers from a table or text elsewhere. */
  readonly label: string;
  /** Ascending days, such as `2026-03-01`. */
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Titles of points that cover more than a day, such as a week. */
  readonly titles?: readonly string[];
  /** True if the period of the last point isn't over yet. */
  readonly isLastOpen?: boolean;
  readonly format?: (value: number) => string;
  /** Formats the labels of the axis, shorter than `format` does. */
  readonly formatAxis?: (value: number) => string;
}

export const Chart = (props: ChartProps): JSX.Element => (
  <figure class="chart" aria-label={props.label}>
    <figcaption class="chart-readout">
      {props.series.map(({ title, tone }) => (
        <span key={title} class="chart-key">
          <span class={`chart-swatch ${tone}`} />
          {title}
        </span>
      ))}
    </figcaption>
    {/* The key clears the selected point when the days change. */}
    <Plot key={`${props.days[0]} ${props.days.length}`} {...props} />
  </figure>
);

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

function Plot(props: ChartProps): JSX.Element {
  const { days, series, titles, format = formatCount } = props;
  const container = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number>();

  useLayoutEffect(() => {
    const { current } = container;
    if (current === null) return;
    const measure = () => setWidth(current.clientWidth);
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    return () => resized.disconnect();
  }, []);

  const frame = frameOf(props, width);
  const last = days.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setPointed(Math.max(0, Math.min(last, (pointed ?? (step < 0 ? last + 1 : -1)) + step)));
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    const x = clientX - (container.current?.getBoundingClientRect().left ?? 0);
    const distances = frame.xs.map((each) => Math.abs(each - x));
    setPointed(distances.indexOf(Math.min(...distances)));
  };

  const shown = pointed ?? last;
  const title = titles?.[shown] ?? formatDay(days[shown] ?? "1970-01-01");
  const known = series.flatMap(({ title, tone, values }) => {
    const value = values[shown];
    return value == null ? [] : [{ title, tone, text: format(value) }];
  });
  return (
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
        onPointerMove={onPointerMove}
        onPointerLeave={() => setPointed(undefined)}
        onBlur={() => setPointed(undefined)}
      >
        {width > 0 && <Drawing {...props} frame={frame} pointed={pointed} />}
      </div>
      {pointed !== undefined && <Tip title={title} known={known} place={besides(frame.xs[pointed] ?? 0, width)} />}
    </div>
  );
}

const height = 240;
const axisHeight = 30;
const margin = 8;
/** Room for half of the label under the last point, in pixels. */
const marginAtEnd = 24;
const minLabelSpace = 64;

/** The chart's measures, in pixels. */
interface Frame {
  readonly width: number;
  readonly start: number;
  readonly marks: readonly (readonly [y: number, label: string])[];
  readonly xs: readonly number[];
  readonly y: (value: number) => number;
}

function frameOf({ days, series, format = formatCount, formatAxis = format }: ChartProps, width: number): Frame {
  const { min, max, marks } = scaleOf(series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const labels = marks.map(formatAxis);
  const start = 14 + 7 * Math.max(3, ...labels.map(({ length }) => length));
  const instants = days.map((day) => Date.parse(day));
  const [from = 0, to = from] = [instants[0], instants.at(-1)];
  const xOf = (at: number) => start + (width - start - marginAtEnd) * (from === to ? 1 / 2 : (at - from) / (to - from));
  const y = (value: number) => margin + ((height - axisHeight - margin) * (max - value)) / (max - min);
  return { width, start, marks: marks.map((mark, i) => [y(mark), labels[i] ?? ""]), xs: instants.map(xOf), y };
}

interface DrawingProps extends ChartProps {
  readonly frame: Frame;
  readonly pointed: number | undefined;
}

const shortDay = new Intl.DateTimeFormat(dateLocale, { day: "numeric", month: "short", timeZone: "UTC" });

function Drawing({ days, series, isLastOpen = false, frame, pointed }: DrawingProps): JSX.Element {
  const { width, start, marks, xs, y } = frame;
  const last = days.length - 1;
  const bold = series.filter(({ tone }) => tone !== "faint");
  const dots = (index: number) =>
    series.map(({ title, tone, values }) => {
      const value = values[index];
      return value != null && <circle key={title} class={tone} cx={xs[index]} cy={y(value)} r={4} />;
    });
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {marks.map(([at, label]) => (
        <g key={label}>
          <path class="chart-grid" d={`M${start} ${at}H${width}`} />
          <text x={start - 8} y={at} dy="0.35em" text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {labelled(xs, minLabelSpace).map((i) => (
        <text key={i} x={xs[i]} y={height - margin} text-anchor="middle">
          {shortDay.format(Date.parse(days[i] ?? ""))}
        </text>
      ))}
      {bold.length === 1 &&
        bold.map(({ tone, values }) => <path key={tone} class={`chart-fill ${tone}`} d={areaOf(values, frame)} />)}
      {pointed !== undefined && <path class="chart-cursor" d={`M${xs[pointed]} ${margin}V${height - axisHeight}`} />}
      {series.map(({ title, tone, values }) => {
        const closed = isLastOpen && tone !== "faint" ? last - 1 : last;
        return (
          <g key={title} class={tone}>
            <path class="chart-line" d={lineOf(values, frame, [0, closed])} />
            {closed < last && <path class="chart-line open" d={lineOf(values, frame, [closed, last])} />}
          </g>
        );
      })}
      {last === 0 ? dots(0) : pointed !== undefined && dots(pointed)}
    </svg>
  );
}

function lineOf(values: Series["values"], { xs, y }: Frame, [first, last]: readonly [number, number]): string {
  return values
    .map((value, i) => {
      if (value === null || i < first || i > last) return "";
      return `${i === first || values[i - 1] == null ? "M" : "L"}${xs[i]} ${y(value)}`;
    })
    .join("");
}

function areaOf(values: Series["values"], { xs, y }: Frame): string {
  const points = values.flatMap((value, i) => (value === null ? [] : [`${xs[i]} ${y(value)}`]));
  return points.length < 2 ? "" : `M${xs[0]} ${y(0)}L${points.join("L")}L${xs[points.length - 1]} ${y(0)}Z`;
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

/** Places the tooltip on the side of the point that has more room. */
const besides = (x: number, width: number): Place =>
  x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
