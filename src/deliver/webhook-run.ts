import type { Book } from "#domain/book.ts";
import { eventId, feedEvent } from "#domain/event.ts";
import { isGivenUp, maxOpenRetries } from "#domain/webhooks.ts";
import type { Database } from "#store/database.ts";
import { readFeed } from "#store/reports/feed.ts";
import {
  type ActiveWebhook,
  type Progress,
  readDueDeliveries,
  type SettledDelivery,
} from "#store/webhook-deliveries.ts";
import type { DeliveryRow, SeqRange } from "#store/webhooks.ts";
import { type Attempt, attempt, type Receiver } from "./attempt.ts";
import { exampleEvent } from "./example-event.ts";
import { nextAttemptAt } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";

const maxOpen = 2;
const chunkSize = 200;
/** Each is read by itself. */
const maxAgain = 20;
/** After so long, what was attempted is settled: a crash repeats no more than that. */
const settleAfterMs = 1_000;

/** An event on its way. */
export interface Outgoing {
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
  readonly body: string;
  /** Before this one. */
  readonly attempts: number;
  readonly isFirst: boolean;
}

export interface WebhookParts {
  readonly database: Database;
  readonly fetcher: Receiver["fetcher"];
  /** In plain text, the newest first. */
  readonly secrets: readonly string[];
  readonly clock: { now(): number /** From 0 to 1. */; random(): number };
  settle(settled: readonly SettledDelivery[], progress: Progress): Promise<void>;
  onAttempt(sent: Outgoing, at: number, made: Attempt): void;
}

interface Chunk {
  readonly outgoing: readonly Outgoing[];
  /** Once all of it was attempted. */
  readonly cursor?: SeqRange;
  readonly replays?: { readonly before: string; readonly after: string };
  /** Where it stands after this event, if only a part was attempted. */
  upTo?(seq: number): Pick<Chunk, "cursor" | "replays">;
}

/** One bounded step of a webhook: what is due again, or else a replay, or else new events. */
export async function deliverSome(webhook: ActiveWebhook, parts: WebhookParts): Promise<void> {
  const chunk = (await dueAgain(webhook, parts)) ?? (await replayed(webhook, parts)) ?? (await firsts(webhook, parts));
  if (chunk === undefined) return;
  const { settled, isWhole, failing } = await attemptAll(webhook, chunk.outgoing, parts);
  const last = settled.at(-1)?.seq;
  const reached = isWhole ? chunk : last == null ? {} : chunk.upTo?.(last);
  await parts.settle(settled, { cursor: reached?.cursor, replays: reached?.replays, ...failing });
}

type Failing = Pick<Progress, "failingSince" | "failures" | "isDisabled">;

async function attemptAll(webhook: ActiveWebhook, outgoing: readonly Outgoing[], parts: WebhookParts) {
  const startedAt = parts.clock.now();
  const waiting = outgoing.values();
  const settled: SettledDelivery[] = [];
  let taken = 0;
  let failing: Failing = { failingSince: webhook.failingSince, failures: webhook.failures, isDisabled: false };
  const lane = async () => {
    while (parts.clock.now() - startedAt < settleAfterMs && !failing.isDisabled) {
      const { value: next, done } = waiting.next();
      if (done) return;
      const place = taken++;
      const made = await send(webhook, next, parts);
      failing = afterAttempt(failing, made.isDelivered, parts.clock.now());
      settled[place] = outcomeOf(next, made, parts.clock);
    }
  };
  await Promise.all(Array.from({ length: maxOpen }, lane));
  return { settled, isWhole: taken === outgoing.length, failing };
}

const afterAttempt = ({ failingSince, failures }: Failing, isDelivered: boolean, at: number): Failing => {
  if (isDelivered) return { failingSince: null, failures: 0, isDisabled: false };
  const since = failingSince ?? at;
  return { failingSince: since, failures: failures + 1, isDisabled: isGivenUp(since, failures + 1, at) };
};

async function send({ url }: ActiveWebhook, outgoing: Outgoing, parts: WebhookParts): Promise<Attempt> {
  const { clock, fetcher, secrets } = parts;
  const at = clock.now();
  const message = { id: outgoing.eventId, body: outgoing.body };
  const headers = await signedHeaders(message, secrets, at);
  const made = await attempt({ url, fetcher }, { ...message, headers }, clock);
  parts.onAttempt(outgoing, at, made);
  return made;
}

function outcomeOf(outgoing: Outgoing, made: Attempt, clock: WebhookParts["clock"]): SettledDelivery {
  const { eventId, seq, type, isFirst } = outgoing;
  const attempts = outgoing.attempts + 1;
  const { isDelivered, retryAfterMs } = made;
  const dueAt = isDelivered ? undefined : nextAttemptAt({ attempts, at: clock.now(), retryAfterMs }, clock.random());
  return { eventId, seq, type, isFirst, attempts, isDelivered, dueAt: dueAt ?? null };
}

async function dueAgain(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const { database, clock } = parts;
  const at = clock.now();
  if (webhook.dueAt === null || webhook.dueAt > at) return undefined;
  const due = await readDueDeliveries(database, { id: webhook.id, at, limit: maxAgain });
  const outgoing = await Promise.all(due.map((each) => againOf(webhook, each, parts)));
  return outgoing.length === 0 ? undefined : { outgoing };
}

async function againOf(webhook: ActiveWebhook, row: DeliveryRow, { database, clock }: WebhookParts): Promise<Outgoing> {
  const { eventId: id, seq, type, attempts } = row;
  const common = { eventId: id, seq, type, attempts, isFirst: false };
  const book = bookOf(webhook);
  if (seq === null) return { ...common, body: JSON.stringify(exampleEvent(book, { id, type, at: clock.now() })) };
  const { events } = await readFeed(database, book, { after: seq - 1, limit: 1 });
  const [found] = events;
  // Forgotten meanwhile: the receiver gets to know its id and type.
  const body =
    found?.seq === seq
      ? feedEvent(book, found)
      : { ...exampleEvent(book, { id, type, at: clock.now() }), seq, data: { object: {} } };
  return { ...common, body: JSON.stringify(body) };
}

async function replayed(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const [range, ...others] = webhook.replays;
  if (range === undefined) return undefined;
  const [from, to] = range;
  const { outgoing, upTo } = await feedAfter(webhook, from - 1, parts);
  const within = outgoing.filter(({ seq }) => seq !== null && seq <= to);
  const before = JSON.stringify(webhook.replays);
  const left = (seq: number) => ({
    replays: { before, after: JSON.stringify(seq >= to ? others : [[seq + 1, to], ...others]) },
  });
  const isOver = within.length < outgoing.length || upTo >= Math.min(to, webhook.newestSeq);
  return { outgoing: within, ...left(isOver ? to : upTo), upTo: left };
}

async function firsts(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const { cursor, newestSeq, openRetries } = webhook;
  if (cursor >= newestSeq || openRetries >= maxOpenRetries) return undefined;
  const { outgoing, upTo } = await feedAfter(webhook, cursor, parts);
  const moved = (seq: number) => ({ cursor: [cursor, seq] as const });
  return { outgoing, ...moved(upTo), upTo: moved };
}

const bookOf = ({ programId, isTest }: ActiveWebhook): Book => ({ programId, isTest });

async function feedAfter(webhook: ActiveWebhook, after: number, { database }: WebhookParts) {
  const { types } = webhook;
  const book = bookOf(webhook);
  const page = await readFeed(database, book, { after, limit: chunkSize, ...(types && { types }) });
  const outgoing = page.events.map((stored): Outgoing => {
    const { seq, type } = stored;
    const body = JSON.stringify(feedEvent(book, stored));
    return { eventId: eventId(book, seq), seq, type, body, attempts: 0, isFirst: true };
  });
  return { outgoing, upTo: page.nextAfter };
}
