import { setTimeout as delay } from "node:timers/promises";
import { errorOf, isTakenUp } from "../refused.ts";
import type { Answer, Reply, Service } from "../service.ts";
import type { Event } from "./event.ts";

export interface Page {
  readonly events: readonly Event[];
  readonly next_after: number;
  readonly has_more: boolean;
  readonly newest_seq: number;
}

export type Query = Readonly<Record<string, string>>;

export interface Read {
  readonly reply: Reply;
  /** The page of events. Undefined for any other response. */
  readonly page: Page | undefined;
}

export interface FeedOptions {
  readonly service: Service;
  readonly isTest: boolean;
  readonly note: (text: string) => void;
}

export type ReadFeed = (query: Query) => Promise<Read>;

const maxPauseMs = 30_000;

/** Retries a read until there is a response, as long as the service is unreachable or busy. */
export function createFeed({ service, isTest, note }: FeedOptions): ReadFeed {
  let wasReached = false;
  const isFinal = (reply: Reply): boolean => {
    if (reply.isReached) return isTakenUp(reply) && reply.status < 500;
    // If no call was ever answered at this address, the address is wrong.
    return !wasReached;
  };

  const patiently = async (ask: () => Promise<Reply>): Promise<Reply> => {
    let reply = await ask();
    for (let attempt = 0; !isFinal(reply); attempt += 1) {
      wasReached = true;
      if (attempt === 0) note(`${reply.isReached ? errorOf(reply).message : reply.message} Trying again.`);
      await delay(pauseMsAfter(reply, attempt));
      reply = await ask();
      if (isFinal(reply)) note("The service answers again.");
    }
    wasReached ||= reply.isReached;
    return reply;
  };

  return async (query) => {
    const path = `programs/me/events?${new URLSearchParams({ ...query, ...(isTest && { test_mode: "true" }) })}`;
    const reply = await patiently(() => service.get(path));
    return { reply, page: isPage(reply) ? reply.body : undefined };
  };
}

function pauseMsAfter(reply: Reply, attempt: number): number {
  const asked = reply.isReached ? reply.retryAfterSeconds : null;
  return asked === null ? Math.min(maxPauseMs, 1_000 * 2 ** attempt) : asked * 1_000;
}

const isPage = (reply: Reply): reply is Answer & { readonly body: Page } => reply.isReached && reply.status === 200;

/** Finds the number of the last event before this instant by binary search, because numbers and times both increase. */
export async function seqBefore(read: ReadFeed, instant: number): Promise<number | Reply> {
  const oldest = await read({ limit: "1" });
  if (!oldest.page) return oldest.reply;
  const [first] = oldest.page.events;
  if (first === undefined) return oldest.page.newest_seq;
  if (Date.parse(first.timestamp) >= instant) return first.seq - 1;
  let earlier = first.seq;
  let last = oldest.page.newest_seq;
  while (earlier < last) {
    const middle = earlier + Math.floor((last - earlier) / 2);
    const next = await read({ after: String(middle), limit: "1" });
    if (!next.page) return next.reply;
    const [event] = next.page.events;
    if (event !== undefined && Date.parse(event.timestamp) < instant) earlier = event.seq;
    else last = middle;
  }
  return earlier;
}
