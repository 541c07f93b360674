import type { ComponentChildren, JSX } from "preact";
import { useContext } from "preact/hooks";
import { createSignal, useSignal } from "../api/signal.ts";
import {
  formatAgo,
  formatDayOf,
  formatEverywhere,
  formatHour,
  formatInstant,
  isWithinDay,
  ownTimezone,
} from "../format-time.ts";
import { ProgramContext } from "../session.tsx";

interface TimeProps {
  readonly at: string;
}

/** The time zone of the page's program, or the reader's on pages outside a program. */
export const useTimezone = (): string => useContext(ProgramContext)?.program.timezone ?? ownTimezone();

const now = createSignal(Date.now());
setInterval(() => now.set(Date.now()), 15_000);

function Time({ at, children }: TimeProps & { readonly children: ComponentChildren }): JSX.Element {
  const timezone = useTimezone();
  return (
    <time class="figures" dateTime={at} title={formatEverywhere(at, timezone, ownTimezone())}>
      {children}
    </time>
  );
}

export function Instant({ at }: TimeProps): JSX.Element {
  const timezone = useTimezone();
  return <Time at={at}>{formatInstant(at, timezone)}</Time>;
}

/** The day of an instant, for deadlines that hold for a whole day. */
export function DayOf({ at }: TimeProps): JSX.Element {
  const timezone = useTimezone();
  return <Time at={at}>{formatDayOf(at, timezone)}</Time>;
}

export function Hour({ at }: TimeProps): JSX.Element {
  const timezone = useTimezone();
  return <Time at={at}>{formatHour(at, timezone)}</Time>;
}

/** "5 minutes ago". From a day on, the date and time. */
export function Ago({ at }: TimeProps): JSX.Element {
  const timezone = useTimezone();
  const known = Math.max(useSignal(now), Date.parse(at));
  return <Time at={at}>{isWithinDay(at, known) ? formatAgo(at, known) : formatInstant(at, timezone, known)}</Time>;
}
