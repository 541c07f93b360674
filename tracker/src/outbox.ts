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
  /** There in test mode alone. */
  readonly additional_data?: object | undefined;
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
    (JSON.parse(shelf[place] || "") as Message[]).filter(({ event_id }) => Date.now() - +event_id < day * 1000),
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
  // So that `running` is set before it is cleared.
  await undefined;
  for (;;) {
    const [next] = pending();
    if (!next || !isAllowed()) break;
    const isSettled = await deliver(next).catch(log);
    log(next, isSettled);
    if (!isSettled) {
      // Six times on a page, for a minute in all.
      if (failures < 6) setTimeout(flush, 500 * 2 ** ++failures);
      break;
    }
    keep(pending().filter(({ event_id }) => event_id !== next.event_id));
  }
  running = undefined;
}

/** Tells whether the answer is final. Where not, or where it throws, the message is to be sent again. */
async function deliver(message: Message): Promise<boolean> {
  const isTest = message.additional_data;
  const isLead = message.customer_key;
  const click = isTest ? testClick : clickId();
  if (isLead && !click && !isTest) return true;
  const response = await fetch(endpoint() + (isLead ? "lead" : "click"), {
    method: "POST",
    // As text/plain, which needs no preflight.
    body: JSON.stringify({
      ...message,
      [isLead ? "click_id" : "existing_click_id"]: click,
      click_ids: isLead && !isTest ? clickIds() : undefined,
    }),
    credentials: "omit",
    keepalive: true,
  });
  if (!response.ok) return response.status < 500 && response.status !== 429;
  const { success, click_id: id, cookie_window_days: days } = await response.json();
  if (success && !isLead) {
    if (!isClickId(id)) return false;
    if (isTest) testClick = id;
    else if (isAllowed()) remember(id, message.code || "", (+days || 60) * day);
  }
  return success !== undefined;
}
