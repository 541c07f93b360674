import { attempt } from "./attempt.ts";
import { attribute, programId, tag } from "./config.ts";
import { isAllowed } from "./consent.ts";
import { log } from "./log.ts";
import { day, shelf } from "./store.ts";
import { clickId, clickIds, isClickId, partnerCode, remember } from "./visitor.ts";

/** A message is a lead if it has a customer key, otherwise a click. */
export interface Message {
  /** A decimal number. Its integer part is the time at which the message was created (ms). */
  readonly event_id: string;
  readonly customer_key?: string;
  readonly additional_data?: { readonly test_mode?: boolean | undefined };
  /** The partner's code in a pending click. The API ignores this field. */
  readonly code?: string;
  /** The query parameter that contained the code. Absent for `aff`. */
  readonly code_param?: string | undefined;
  readonly [field: string]: unknown;
}

const place = `svc_pending_${programId}`;
let held: readonly Message[] = [];
let failures = 0;
let testClick: string | undefined;
let running: Promise<void> | undefined;

/**
 * Messages that the API hasn't accepted yet, oldest first. They include messages of earlier pages and other tabs. They
 * are dropped after a day, because the API deduplicates by `event_id` only for that long.
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

/** Sends all pending messages. Resolves after at most five seconds. */
export const flush = (): Promise<void> => {
  // biome-ignore lint/suspicious/noAssignInExpressions: a separate statement would take more bytes
  return Promise.race([new Promise<void>((resolve) => setTimeout(resolve, 5_000)), (running = running || sendAll())]);
};

const sendAll = async (): Promise<void> => {
  // Waits for one microtask, so that `running` is assigned before it is cleared, and the calls queued by the page come
  // first.
  await 0;
  const [next] = pending();
  if (next && isAllowed()) {
    const isSettled = await deliver(next).catch(log);
    log(next, isSettled);
    if (isSettled) {
      // If the click had been accepted, the partner's code would be stored. So the API has refused the code.
      if (next.code_param && partnerCode() !== next.code && isAllowed())
        attempt(() => (sessionStorage.svc_refused += ` ${programId}${next.code}`));
      keep(pending().filter((message) => message.event_id !== next.event_id));
      return sendAll();
    }
    // At most six retries per page, over about a minute.
    if (failures++ < 6) setTimeout(flush, 500 * 2 ** failures);
  }
  running = undefined;
};

/** Returns true if the response is final. If it returns false or throws, the message is sent again. */
const deliver = async (message: Message): Promise<boolean> => {
  // Messages stored by an earlier version have `additional_data` only in test mode.
  const { customer_key: isLead, additional_data: { test_mode: isTest } = {} } = message;
  const click = isTest ? testClick : clickId();
  if (isLead && !click && !isTest) return true;
  // By default, the API's base URL is one folder above the script's, whatever the folders are called.
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
