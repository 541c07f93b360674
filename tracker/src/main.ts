import type { Svc, SvcCall } from "../svc.d.ts";
import { attempt } from "./attempt.ts";
import { isDebug, programId } from "./config.ts";
import { documentProperty } from "./document-property.ts";
import { event, trackClick, visit } from "./landing.ts";
import { log } from "./log.ts";
import { onNavigation } from "./navigation.ts";
import { flush, keep, pending, send } from "./outbox.ts";
import { day, erase, write } from "./store.ts";
import { clickId, clickIds, partnerCode } from "./visitor.ts";

const look = (url?: string, page?: string): Promise<void> => trackClick(url, page).catch(log);

const watch = async (): Promise<void> => {
  if (documentProperty("prerendering"))
    await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve));
  // biome-ignore lint/nursery/noMisusedPromises: it never rejects
  onNavigation(() => look());
  if (isDebug) void send(visit(true));
  const address = attempt(() => (performance.getEntriesByType("navigation")[0] as PerformanceEntry).name);
  const landing = look(address, address);
  void look();
  await landing;
};

// If the page has several tags, the first one wins. An element or frame with the name `svc` doesn't count as one.
if (!attempt(() => (window.svc as Svc).getClickId.call)) {
  if (programId)
    attempt(() => {
      const svc: Svc = {
        debug: isDebug,
        getClickId: clickId,
        signup: async (customerKey, email) => {
          if (customerKey) await send({ ...event(svc.debug), customer_key: `${customerKey}`, email });
        },
        trackClick: (url) => look(url).then(clickId),
        getData: () => ({
          programId,
          partnerCode: partnerCode(),
          clickId: clickId(),
          clickIds: clickIds(),
        }),
        consent(isGiven) {
          // The answer expires after half a year. The page must then ask again.
          write("svc_consent", isGiven ? "1" : "0", 180 * day);
          // Moves pending messages from memory to storage, or discards them.
          keep(isGiven ? pending() : []);
          if (isGiven) void flush();
          else {
            attempt(() => delete sessionStorage.svc_refused);
            ["svc_click_ids", "svc_click_id", "svc_aff", "svc_recent"].forEach(erase);
          }
        },
        ready: watch(),
      };
      const push = (...calls: SvcCall[]) =>
        // biome-ignore lint/suspicious/useIterableCallbackReturn: braces would take bytes
        calls.forEach((call) =>
          attempt(() => (svc[call[0]] as (...args: readonly unknown[]) => unknown)(...call.slice(1))),
        );
      window.svc = svc;
      attempt(() => push(...(window.svcQueue as SvcCall[])));
      window.svcQueue = { push };
    });
  else console.error("[svc] no data-svc-program-id");
}
