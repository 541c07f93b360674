import type { Book } from "./book.ts";
import { type EventType, notedFields } from "./event-type.ts";
import { maskUrl } from "./mask-url.ts";
import { snakeCase } from "./snake-case.ts";

/** A stored event, with the current state of its subject. */
export interface StoredEvent {
  readonly seq: number;
  readonly at: number;
  readonly type: EventType;
  readonly subject: number;
  readonly before: readonly unknown[] | null;
  readonly after: readonly unknown[] | null;
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly partnerCode: string | null;
}

/** An event as sent in the feed and in webhooks. */
export interface FeedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly seq: number;
  readonly program_id: number;
  readonly test_mode: boolean;
  readonly data: {
    readonly object: Readonly<Record<string, unknown>>;
    readonly previous?: Readonly<Record<string, unknown>>;
  };
  /** True if the sale's items were left out, because the event with them would exceed 64 KiB. */
  readonly truncated?: true;
}

const maxBytes = 64 * 1_024;

export const eventId = ({ programId, isTest }: Book, seq: number): string =>
  `evt_${programId}_${isTest ? "test_" : ""}${seq}`;

/** The sequence number of an event id. Undefined if the id isn't of this book. */
export function seqOfEvent(book: Book, id: string): number | undefined {
  const seq = Number(id.slice(eventId(book, 0).length - 1));
  return Number.isSafeInteger(seq) && eventId(book, seq) === id ? seq : undefined;
}

const instants = ["occurred_at", "hold_until", "settled_at"];
const flags = ["unconfirmed", "held", "risk_exempt"];

type Named = Readonly<Record<string, unknown>>;

/** Items have the field names of tracking calls. */
const itemOnWire = (item: Named): Named =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [snakeCase(name), value]));

function inWords(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(itemOnWire);
  if (typeof value !== "number") return value;
  if (instants.includes(name)) return new Date(value).toISOString();
  return flags.includes(name) ? value !== 0 : value;
}

const inWordsOf = (named: Named): Named =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, inWords(name, value)]));

function noted(type: EventType, values: readonly unknown[] | null): Named {
  const fields: readonly string[] = Object.entries(notedFields).find(([of]) => type.startsWith(`${of}.`))?.[1] ?? [];
  if (values === null) return {};
  const named = Object.fromEntries(fields.map((name, i) => [name, values[i] ?? null]));
  // Commission events stored by releases without units have no currency. Their currency was that of the sale.
  const { currency, ...others } = named;
  return currency === null ? others : named;
}

export function feedEvent(book: Book, stored: StoredEvent): FeedEvent {
  const { seq, at, type } = stored;
  const event = {
    id: eventId(book, seq),
    type,
    timestamp: new Date(at).toISOString(),
    seq,
    program_id: book.programId,
    test_mode: book.isTest,
    data: dataOf(stored),
  };
  return withinLimit(event);
}

function dataOf({ type, subject, before, after, object, partnerCode }: StoredEvent): FeedEvent["data"] {
  if (type === "feed.restarted") return { object: { from: before?.[0], to: after?.[0] } };
  const [was, is] = [noted(type, before), noted(type, after)];
  const code = "partner_id" in is ? { partner_code: partnerCode } : {};
  const own = withMaskedUrl(type, object) ?? { [`${type.slice(0, type.indexOf("."))}_id`]: subject };
  const changed = Object.fromEntries(Object.entries(was).filter(([name, value]) => is[name] !== value));
  const all = inWordsOf({ ...own, ...is, ...code });
  return before === null ? { object: all } : { object: all, previous: inWordsOf(changed) };
}

/** Masks a webhook's URL, because it may be a secret that readers of the feed must not see. */
const withMaskedUrl = (type: EventType, object: StoredEvent["object"]): StoredEvent["object"] =>
  type === "webhook.disabled" && typeof object?.url === "string" ? { ...object, url: maskUrl(object.url) } : object;

function withinLimit(event: FeedEvent): FeedEvent {
  const { items, ...object } = event.data.object;
  if (items == null || Buffer.byteLength(JSON.stringify(event)) <= maxBytes) return event;
  return { ...event, data: { ...event.data, object }, truncated: true };
}
