import { attempt } from "./attempt.ts";
import { attribute, programId, tag } from "./config.ts";
import { isAllowed } from "./consent.ts";
import { log } from "./log.ts";
import { day, shelf } from "./store.ts";
import { clickId, clickIds, isClickId, partnerCode, remember } from "./visitor.ts";

/** A lead if it has a customer key, else a click. */
export interface Message {
  /** A decimal that starts with the timestamp (ms). */
  readonly event_id: string;
  readonly customer_key?: string;
  readonly additional_data?: { readonly test_mode?: boolean | undefined };
  /** The partner of a pending click. The API ignores it. */
  readonly code?: string;
  /** The parameter that held the code. Absent: `aff`. */
  readonly code_param?: string | undefined;
  readonly [field: string]: unknown;
}

const place = `svc_pending_${programId}`;
let held: readonly Message[] = [];
let failures = 0;
let testClick: string | undefined;
let running: Promise<void> | undefined;

/**
 * Unsettled messages, also of earlier pages and other tabs, oldest first. They are dropped after a day, when the API no
 * longer deduplicates their event_id.
 */
export const pending = (): readonly Message[] =>
  attempt(() =>
    (JSON.parse(shelf[place] as string) as Message[]).filter((message) => Date.now() - +message.event_id < day * 1000),
  ) || held;

export const keep = (messages: readonly Message[]): void => {
  held = messages.slice(-20);
  delete shelf[place];
  if (held[0] && isAllowed()) attempt(() => (shelf[place] = JSON.stringify(held)));
};

export const send = (message: Message): Promise<void> => {
  keep(pending().concat(message));
  return flush();
};

/** Resolves after five seconds at most. */
export const flush = (): Promise<void> => {
  // biome-ignore lint/suspicious/noAssignInExpressions: a statement for it weighs more
  return Promise.race([new Promise<void>((resolve) => setTimeout(resolve, 5_000)), (running = running || sendAll())]);
};

const sendAll = async (): Promise<void> => {
  // Sets `running` before it is cleared, and lets the page's queued calls go first.
  await 0;
  const [next] = pending();
  if (next && isAllowed()) {
    const isSettled = await deliver(next).catch(log);
    log(next, isSettled);
    if (isSettled) {
      // An accepted click would have set the visitor's partner.
      if (next.code_param && partnerCode() !== next.code && isAllowed())
        attempt(() => (sessionStorage.svc_refused += ` ${programId}${next.code}`));
      keep(pending().filter((message) => message.event_id !== next.event_id));
      return sendAll();
    }
    // Six retries per page, over about a minute.
    if (failures++ < 6) setTimeout(flush, 500 * 2 ** failures);
  }
  running = undefined;
};

/** True if the response is final. If false, or if it throws, the message is sent again. */
const deliver = async (message: Message): Promise<boolean> => {
  // Messages stored by an earlier version have no additional data outside test mode.
  const { customer_key: isLead, additional_data: { test_mode: isTest } = {} } = message;
  const click = isTest ? testClick : clickId();
  if (isLead && !click && !isTest) return true;
  // By default, the script is one folder below the API's base URL, whatever both are called.
  const response = await fetch(
    (attribute("api-base") || new URL("..", (tag as HTMLScriptElement).src).href).replace(/\/*$/, "/api/v1/track/") +
      (isLead ? "lead" : "click"),
    {
      method: "POST",
      // A string is sent as text/plain, which needs no preflight.
      body: JSON.stringify({
        ...message,
        ...(isLead ? { click_id: click, click_ids: clickIds() } : { existing_click_id: click }),
      }),
      keepalive: true,
      credentials: "omit",
    },
  );
  if (!response.ok) return response.status !== 429 && response.status < 500;
  const { click_id: id, cookie_window_days: days, success } = await response.json();
  if (isLead || !success) return success !== undefined;
  if (!isClickId(id)) return false;
  if (isTest) testClick = id;
  else if (isAllowed()) remember(id, message.code, (+days || 60) * day);
  return true;
};
