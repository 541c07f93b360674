import type { Svc, SvcCall } from "../svc.d.ts";
import { attempt } from "./attempt.ts";
import { isDebug, programId } from "./config.ts";
import { answer, isPrerendering } from "./consent.ts";
import { signUp, trackClick, trackTestClick } from "./landing.ts";
import { log } from "./log.ts";
import { onNavigation } from "./navigation.ts";
import { flush, keep, pending } from "./outbox.ts";
import { clickId, clickIds, forget, partnerCode } from "./visitor.ts";

const look = (url?: string): Promise<void> => trackClick(url).catch(log);

async function watch(): Promise<void> {
  if (isPrerendering()) await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve));
  onNavigation(() => look());
  if (isDebug) trackTestClick();
  await look();
}

function start(): void {
  const svc: Svc = {
    debug: isDebug,
    getClickId: clickId,
    signup: async (customerKey, email) => {
      if (customerKey) await signUp(customerKey, email, svc.debug);
    },
    trackClick: (url) => look(url).then(clickId),
    getData: () => ({
      programId,
      partnerCode: partnerCode(),
      clickId: clickId(),
      clickIds: clickIds(),
    }),
    consent(isGiven) {
      answer(isGiven);
      // What waits in memory is stored from here on, or thrown away.
      keep(isGiven ? pending() : []);
      if (isGiven) flush();
      else forget();
    },
    ready: watch(),
  };
  const push = (...calls: SvcCall[]) => {
    for (const call of calls) {
      attempt(() => {
        const [name, ...args] = call;
        (svc[name] as (...args: readonly unknown[]) => unknown)(...args);
      });
    }
  };
  const queued = window.svcQueue as SvcCall[];
  window.svc = svc;
  window.svcQueue = { push };
  attempt(() => push(...queued));
}

// The first of several tags counts.
if (!window.svc) {
  if (programId) attempt(start);
  else console.error("[svc] no data-svc-program-id");
}
