import type { Book } from "#domain/book.ts";
import { eventId, feedEvent } from "#domain/event.ts";
import { exampleId, firstExampleType, isGivenUp, maxOpenRetries } from "#domain/webhooks.ts";
import type { Database } from "#store/database.ts";
import { readFeed } from "#store/reports/feed.ts";
import {
  type ActiveWebhook,
  type Health,
  type Progress,
  readDueDeliveries,
  type SettledDelivery,
} from "#store/webhook-deliveries.ts";
import type { DeliveryRow, Replay } from "#store/webhooks.ts";
import { type Attempt, attempt, type Receiver } from "./attempt.ts";
import { exampleEvent } from "./example-event.ts";
import { nextAttemptAt } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";

/** Maximum of concurrent attempts of one webhook. */
export const maxOpen = 2;
const chunkSize = 200;
/** The most due deliveries in a step. The number is low, because the event of each delivery is read separately. */
const maxAgain = 20;
/**
 * The time after which the results of a step are stored (ms). After a crash, only attempts without a stored result are
 * repeated.
 */
const settleAfterMs = 1_000;
/**
 * An attempt that is open this long after the step began no longer blocks the step: its result is stored separately.
 */
const hangsAfterMs = 2_000;
/**
 * The time after which an attempt without a stored result is repeated (ms), because a crash must have ended it. It is
 * longer than the longest attempt.
 */
const underWayMs = 30_000;

/** An event to be sent. */
export interface Outgoing {
  readonly eventId: string;
  readonly seq: number | null;
  readonly type: string;
  /** Undefined if the feed no longer has the event. The delivery is then given up. */
  readonly body: string | undefined;
  /** Number of attempts before this one. */
  readonly attempts: number;
  readonly isFirst: boolean;
}

export interface WebhookParts {
  readonly database: Database;
  readonly fetcher: Receiver["fetcher"];
  /** The secrets in plain text, newest first. */
  readonly secrets: readonly string[];
  /** `random` returns a number from 0 to 1. */
  readonly clock: { now(): number; random(): number };
  /** Maximum of concurrent attempts in this step. */
  readonly lanes: number;
  settle(settled: readonly SettledDelivery[], progress: Progress): Promise<void>;
  onAttempt(sent: Outgoing, at: number, made: Attempt): void;
}

type Position = Pick<Progress, "cursor" | "replay">;

interface Chunk {
  readonly outgoing: readonly Outgoing[];
  /** The webhook's position once the whole chunk was attempted. */
  readonly position: Position;
  /** The webhook's position if only the events up to this one were attempted. */
  positionAt(seq: number): Position;
}

const nowhere: Position = { cursor: undefined, replay: undefined };

/**
 * Runs one limited step of a webhook. It sends the first of these that exists: due deliveries (retries, redeliveries
 * and example events); a replay; new events. Replays and new events are sent only once the URL has answered 2xx.
 * Returns the attempts still in progress, each of which stores its own result.
 */
export async function deliverSome(webhook: ActiveWebhook, parts: WebhookParts): Promise<readonly Promise<void>[]> {
  const chunk = (await dueAgain(webhook, parts)) ?? (await unsent(webhook, parts));
  if (chunk === undefined) return [];
  const { outgoing } = chunk;
  const { ended, underWay, taken } = await attemptAll(webhook, outgoing, parts);
  const last = outgoing[taken - 1]?.seq;
  const reached = taken === outgoing.length ? chunk.position : last == null ? nowhere : chunk.positionAt(last);
  const settled = [...ended.map(({ settled }) => settled), ...underWay.map(({ held }) => held)];
  await parts.settle(settled, { ...reached, health: healthAfter(webhook, ended) });
  return underWay.map(async ({ ending }) => {
    const end = await ending;
    await parts.settle([end.settled], { ...nowhere, health: healthAfter(webhook, [end]) });
  });
}

async function unsent(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  if (webhook.provedAt === null) return webhook.dueAt === null ? missingExample(webhook, parts) : undefined;
  return (await replayed(webhook, parts)) ?? (await firsts(webhook, parts));
}

/** A webhook that was created by a release without example events has no example yet. */
function missingExample(webhook: ActiveWebhook, { clock }: WebhookParts): Chunk {
  const [id, type] = [exampleId(String(webhook.id)), firstExampleType(webhook.types ?? null)];
  const body = JSON.stringify(exampleEvent(bookOf(webhook), { id, type, at: clock.now() }));
  const outgoing = [{ eventId: id, seq: null, type, body, attempts: 0, isFirst: true }];
  return { outgoing, position: nowhere, positionAt: () => nowhere };
}

/** An attempt that has ended, with the instant of its end. */
interface Ended {
  readonly at: number;
  readonly wasSent: boolean;
  readonly settled: SettledDelivery;
}

interface UnderWay {
  /** The delivery as stored while the attempt is in progress. */
  readonly held: SettledDelivery;
  /** The delivery's final result. */
  readonly ending: Promise<Ended>;
}

async function attemptAll(webhook: ActiveWebhook, outgoing: readonly Outgoing[], parts: WebhookParts) {
  const { clock } = parts;
  const startedAt = clock.now();
  const waiting = outgoing.values();
  const ended: Ended[] = [];
  const open = new Map<Outgoing, Promise<Ended>>();
  let isCut = false;
  let taken = 0;
  const mayGoOn = () =>
    !isCut && clock.now() - startedAt < settleAfterMs && healthAfter(webhook, ended)?.disablesSince == null;
  const lane = async () => {
    while (mayGoOn()) {
      const { value: next, done } = waiting.next();
      if (done) return;
      taken += 1;
      const ending = send(webhook, next, parts);
      open.set(next, ending);
      const end = await ending;
      if (isCut) return;
      open.delete(next);
      ended.push(end);
    }
  };
  await orAfter(hangsAfterMs, Promise.all(Array.from({ length: parts.lanes }, lane)));
  isCut = true;
  const underWay = Array.from(open, ([each, ending]): UnderWay => {
    const { eventId, seq, type, attempts, isFirst } = each;
    const held = { eventId, seq, type, isFirst, attempts, isDelivered: false, isUnderWay: true };
    return {
      held: { ...held, dueAt: clock.now() + underWayMs },
      ending: ending.then((end) => ({ ...end, settled: { ...end.settled, isFirst: false } })),
    };
  });
  return { ended, underWay, taken };
}

async function orAfter(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

/** Undefined if the health of the webhook doesn't change. */
function healthAfter(
  { url, failingSince, failures, provedAt }: ActiveWebhook,
  ended: readonly Ended[],
): Health | undefined {
  const sent = ended.filter(({ wasSent }) => wasSent);
  const lastDelivered = sent.findLastIndex(({ settled }) => settled.isDelivered);
  const failed = sent.slice(lastDelivered + 1);
  const hasDelivered = lastDelivered >= 0;
  const last = failed.at(-1);
  const isNews = hasDelivered && (failingSince !== null || provedAt === null);
  if (last === undefined && !isNews) return undefined;
  const isDisabled =
    !hasDelivered &&
    last !== undefined &&
    failingSince !== null &&
    // A webhook whose URL has never answered 2xx is disabled once its example is given up.
    (provedAt === null ? last.settled.dueAt === null : isGivenUp(failingSince, failures + failed.length, last.at));
  return {
    url,
    hasDelivered,
    failures: failed.length,
    failingSince: failed[0]?.at ?? null,
    disablesSince: isDisabled ? failingSince : null,
  };
}

/** Sends an event. An event that the feed no longer has isn't sent, and its delivery is given up. */
async function send({ url }: ActiveWebhook, outgoing: Outgoing, parts: WebhookParts): Promise<Ended> {
  const { clock, fetcher, secrets } = parts;
  const { eventId: id, body } = outgoing;
  const at = clock.now();
  if (body === undefined) {
    return { at, wasSent: false, settled: outcomeOf(outgoing, { isDelivered: false, dueAt: undefined }) };
  }
  const message = { id, body };
  const headers = await signedHeaders(message, secrets, at);
  const made = await attempt({ url, fetcher }, { ...message, headers }, clock);
  parts.onAttempt(outgoing, at, made);
  const { isDelivered, retryAfterMs } = made;
  const failed = { attempts: outgoing.attempts + 1, at: clock.now(), retryAfterMs };
  const dueAt = isDelivered ? undefined : nextAttemptAt(failed, clock.random());
  return { at: failed.at, wasSent: true, settled: outcomeOf(outgoing, { isDelivered, dueAt }) };
}

function outcomeOf(
  { eventId, seq, type, isFirst, attempts }: Outgoing,
  { isDelivered, dueAt }: { readonly isDelivered: boolean; readonly dueAt: number | undefined },
): SettledDelivery {
  return { eventId, seq, type, isFirst, attempts: attempts + 1, isDelivered, isUnderWay: false, dueAt: dueAt ?? null };
}

async function dueAgain(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const { database, clock } = parts;
  const at = clock.now();
  if (webhook.dueAt === null || webhook.dueAt > at) return undefined;
  const due = await readDueDeliveries(database, {
    id: webhook.id,
    at,
    limit: maxAgain,
    isProved: webhook.provedAt !== null,
  });
  const outgoing = await Promise.all(due.map((each) => againOf(webhook, each, parts)));
  return outgoing.length === 0 ? undefined : { outgoing, position: nowhere, positionAt: () => nowhere };
}

async function againOf(webhook: ActiveWebhook, row: DeliveryRow, { database, clock }: WebhookParts): Promise<Outgoing> {
  const { eventId: id, seq, type, attempts } = row;
  const common = { eventId: id, seq, type, attempts, isFirst: false };
  const book = bookOf(webhook);
  if (seq === null) return { ...common, body: JSON.stringify(exampleEvent(book, { id, type, at: clock.now() })) };
  const { events } = await readFeed(database, book, { after: seq - 1, limit: 1 });
  const [found] = events;
  return { ...common, body: found?.seq === seq ? JSON.stringify(feedEvent(book, found)) : undefined };
}

async function replayed(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const [range] = webhook.replays;
  if (range === undefined) return undefined;
  const [from, to, ...waited] = range;
  const { outgoing, upTo } = await feedAfter(webhook, from - 1, parts);
  const within = outgoing.filter(({ seq }) => seq !== null && seq <= to);
  const positionAt = (seq: number): Position => {
    const left: Replay | undefined = seq >= to ? undefined : [seq + 1, to, ...waited];
    return { cursor: undefined, replay: { of: range, left } };
  };
  const isOver = within.length < outgoing.length || upTo >= Math.min(to, webhook.newestSeq);
  return { outgoing: within, position: positionAt(isOver ? to : upTo), positionAt };
}

async function firsts(webhook: ActiveWebhook, parts: WebhookParts): Promise<Chunk | undefined> {
  const { cursor, newestSeq, openRetries } = webhook;
  if (cursor >= newestSeq || openRetries >= maxOpenRetries) return undefined;
  const { outgoing, upTo } = await feedAfter(webhook, cursor, parts);
  const positionAt = (seq: number): Position => ({ cursor: [cursor, seq], replay: undefined });
  return { outgoing, position: positionAt(upTo), positionAt };
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
