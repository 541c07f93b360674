import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const steps = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function formatAgo(instant: string, now: number): string {
  const seconds = Math.round((Date.parse(instant) - now) / 1000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return unit === "second" && Math.abs(seconds) < 10 ? "just now" : relative.format(Math.trunc(seconds / size), unit);
}

export const Instant = ({ at }: { readonly at: string }): JSX.Element => (
  <time class="figures" dateTime={at} title={full.format(new Date(at))}>
    {short.format(new Date(at))}
  </time>
);

export const Hour = ({ at }: { readonly at: string }): JSX.Element => (
  <time class="figures" dateTime={at}>
    {short.formatRange(Date.parse(at), Date.parse(at) + 3_600_000)}
  </time>
);

export function Ago({ at }: { readonly at: string }): JSX.Element {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {formatAgo(at, Math.max(now, Date.parse(at)))}
    </time>
  );
}
