import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSignal } from "../api/signal.ts";
import { outages } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { WarningIcon } from "../components/icons.tsx";

/** The cause of an outage. A 503 comes from the service itself, other server errors from a proxy in front of it. */
function causeOf(statuses: readonly number[]): string {
  if (statuses.every((status) => status === 429)) return "Too many requests.";
  const gateway = statuses.find((status) => status > 500 && status !== 503);
  return gateway === undefined
    ? "Can't reach Tributary."
    : `A server in front of Tributary returned an error (${gateway}).`;
}

export function OutageBanner(): JSX.Element {
  const waiting = [...useSignal(outages).values()];
  const isOut = waiting.length > 0;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOut) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOut]);
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The sidebar makes room for the banner.
    const height = bar.current?.offsetHeight ?? 0;
    document.documentElement.style.setProperty("--outage", `${height}px`);
  }, [isOut]);
  const seconds = Math.max(0, Math.ceil((Math.min(...waiting.map(({ at }) => at)) - now) / 1000));
  return (
    <div class="outage" role="status">
      {isOut && (
        <div class="outage-bar" ref={bar}>
          <WarningIcon />
          <p>
            {causeOf(waiting.map(({ status }) => status))} You may be seeing old data. Retrying
            <span aria-hidden="true" class="figures">
              {seconds > 0 ? ` in ${seconds} s` : " now"}
            </span>
            .
          </p>
          <Button
            onClick={() =>
              waiting.forEach(({ retry }) => {
                retry();
              })
            }
          >
            Retry now
          </Button>
        </div>
      )}
    </div>
  );
}
