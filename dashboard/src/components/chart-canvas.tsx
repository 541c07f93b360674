import "uplot/dist/uPlot.min.css";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { useStore } from "../api/store.ts";
import { theme } from "../theme.ts";
import type { ChartProps } from "./chart.tsx";

const height = 240;
const counts = new Intl.NumberFormat();
const dayOf = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

/** A colour of the tokens as a canvas understands it. */
function colour(place: HTMLElement, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${token})`;
  place.appendChild(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function draw(place: HTMLElement, { days, series, format = counts.format }: ChartProps): UPlot {
  const { fontSize, fontFamily } = getComputedStyle(place);
  const axis = { stroke: colour(place, "ink-faint"), font: `${fontSize} ${fontFamily}`, ticks: { show: false } };
  const options: UPlot.Options = {
    width: place.clientWidth,
    height,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "UTC"),
    cursor: { y: false, drag: { x: false } },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), Math.max(max, 1) * 1.05] } },
    axes: [
      { ...axis, grid: { show: false }, values: (_, marks) => marks.map((mark) => dayOf.format(mark * 1000)) },
      {
        ...axis,
        size: 72,
        grid: { stroke: colour(place, "line"), width: 1 },
        values: (_, marks) => marks.map(format),
      },
    ],
    series: [
      { label: "Day", value: (_, at) => (at === null ? "" : dayOf.format(at * 1000)) },
      ...series.map(({ title, tone }) => ({
        label: title,
        stroke: colour(place, tone === "accent" ? "accent" : `${tone}-mark`),
        width: 2,
        points: { show: days.length === 1 },
        value: (_: UPlot, value: number | null) => (value === null ? "" : format(value)),
      })),
    ],
  };
  return new UPlot(options, [days.map(secondsOf), ...series.map(({ values }) => [...values])], place);
}

export default function ChartCanvas(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const chosen = useStore(theme);
  const { days, series } = props;
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let chart = draw(current, props);
    const resized = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => {
      chart.destroy();
      chart = draw(current, props);
    };
    dark.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      dark.removeEventListener("change", redraw);
      chart.destroy();
    };
  }, [JSON.stringify([days, series]), chosen]);
  return <div ref={place} />;
}
