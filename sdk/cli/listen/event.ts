import { money, plain, time } from "../format.ts";
import type { Members } from "../service.ts";

/** An event as the service sent it, with the fields that the command itself reads. */
export interface Event extends Members {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly seq: number;
  readonly data: { readonly object: Members; readonly previous?: Members };
}

/**
 * An event in one line: "2026-05-07 09:12:44  41  sale.recorded  sale 73, in_1042, customer u1, partner anna, €49.00"
 */
export function inOneLine({ timestamp, seq, type, data: { object, previous } }: Event): string {
  const changed = Object.entries(previous ?? {}).map(([name, value]) => wordOf(name, value, object) ?? name);
  const was = changed.length > 0 ? `; was ${changed.join(", ")}` : "";
  return plain(
    `${time(timestamp)}  ${seq}  ${type}  ${[subjectOf(type, object), ...wordsOf(object)].join(", ")}${was}`,
  );
}

/** The subjects of types whose first part names another object. */
const kinds: Readonly<Record<string, string>> = { "partner.applied": "application", "partner.claim_opened": "claim" };

function subjectOf(type: string, object: Members): string {
  if (type === "feed.restarted") return `from ${object.from} to ${object.to}`;
  const kind = kinds[type] ?? type.replace(/\..*/, "");
  return `${kind} ${object[`${kind}_id`]}`;
}

/** The fields to print, in this order. */
const shown = [
  "transaction_id",
  "reference",
  "name",
  "customer_key",
  "partner_code",
  "amount_cents",
  "refunded_cents",
  "total_cents",
  "status",
  "unconfirmed",
  "held",
];

const wordsOf = (object: Members): string[] => shown.flatMap((name) => wordOf(name, object[name], object) ?? []);

/** Describes a field. Undefined if there is nothing to print. */
function wordOf(name: string, value: unknown, { currency }: Members): string | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return name;
  if (name === "customer_key") return `customer ${value}`;
  if (name === "partner_code") return `partner ${value}`;
  if (name === "partner_id") return `partner ${value}`;
  if (name.endsWith("_cents") && typeof currency === "string") return money(Number(value), currency);
  return String(value);
}
