import { attempt } from "./attempt.ts";
import { endpoint, programId } from "./config.ts";
import { isAllowed } from "./consent.ts";
import { log } from "./log.ts";
import { day, shelf } from "./store.ts";
import { clickId, clickIds, isClickId, remember } from "./visitor.ts";

/** A lead where it names a customer, else a click. */
export interface Message {
  /** Begins with its instant, and is a number. */
  readonly event_id: string;
  readonly customer_key?: string;
  readonly additional_data?: { readonly test_mode?: boolean | undefined };
  /** The partner of a click. The API ignores it. */
  readonly code?: string;
  readonly [field: string]: unknown;
}

const place = `svc_pending_${programId}`;
let held: readonly Message[] = [];
let failures = 0;
let testClick: string | undefined;
let running: Promise<void> | undefined;

/** What is not settled yet, of earlier pages and of other tabs too; oldest first. For a day: so long an event_id counts once. */
export const pending = (): readonly Message[] =>
  attempt(() =>
    (JSON.parse(shelf[place] as string) as Message[]).filter((message) => Date.now() - +message.event_id < day * 1000),
  ) || held;

export function keep(messages: readonly Message[]): void {
  held = messages.slice(-20);
  delete shelf[place];
  if (held[0] && isAllowed()) attempt(() => (shelf[place] = JSON.stringify(held)));
}

export function send(message: Message): Promise<void> {
  keep([...pending(), message]);
  return flush();
}

/** Sends what waits. Whoever awaits that does so for five seconds at most. */
export function flush(): Promise<void> {
  running = running || sendAll();
  return Promise.race([running, new Promise<void>((resolve) => setTimeout(resolve, 5_000))]);
}

async function sendAll(): Promise<void> {
  // So that `running` is set before it is cleared, and calls that the page has queued come first.
  await undefined;
  const [next] = pending();
  if (next && isAllowed()) {
    const isSettled = await deliver(next).catch(log);
    log(next, isSettled);
    if (isSettled) {
      keep(pending().filter((message) => message.event_id !== next.event_id));
      return sendAll();
    }
    // Six times on a page, for a minute in all.
    if (failures++ < 6) setTimeout(flush, 500 * 2 ** failures);
  }
  running = undefined;
}

/** Tells whether the answer is final. Where not, or where it throws, the message is to be sent again. */
async function deliver(message: Message): Promise<boolean> {
  // Messages of an earlier version have no additional data outside test mode.
  const { customer_key: isLead, additional_data: { test_mode: isTest } = {} } = message;
  const click = isTest ? testClick : clickId();
  if (isLead && !click && !isTest) return true;
  const response = await fetch(endpoint() + (isLead ? "lead" : "click"), {
    method: "POST",
    // As text/plain, which needs no preflight.
    body: JSON.stringify({
      ...message,
      ...(isLead ? { click_id: click, click_ids: clickIds() } : { existing_click_id: click }),
    }),
    keepalive: true,
    credentials: "omit",
  });
  if (!response.ok) return response.status !== 429 && response.status < 500;
  const { click_id: id, cookie_window_days: days, success } = await response.json();
  if (success && !isLead) {
    if (!isClickId(id)) return false;
    if (isTest) testClick = id;
    else if (isAllowed()) remember(id, message.code, (+days || 60) * day);
  }
  return success !== undefined;
}
