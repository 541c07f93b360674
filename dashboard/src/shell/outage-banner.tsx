import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSignal } from "../api/signal.ts";
import { outages } from "../api/use-query.ts";
import { Button } from "../components/button.tsx";
import { WarningIcon } from "../components/icons.tsx";

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
  const seconds = Math.max(0, Math.ceil((Math.min(...waiting.map(({ at }) => at)) - now) / 1000));
  return (
    <div class="outage" role="status">
      {isOut && (
        <div class="outage-bar">
          <WarningIcon />
          <p>
            {waiting.every(({ isRateLimit }) => isRateLimit) ? "Too many requests." : "Can't reach Tributary."} You may
            be seeing old data. Retrying
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
