import { createHash } from "node:crypto";
import { isObject } from "../../src/fields.ts";
import type { Members } from "../service.ts";
import { unknownFields } from "../wire.ts";
import type { Line } from "./lines.ts";

export const types = ["click", "lead", "sale", "refund"] as const;
export type EventType = (typeof types)[number];

/** An event to send, read from one line. */
export interface Event {
  readonly number: number;
  /**
   * Derived from the line's text and the number of equal lines before it, so that it stays the same if other lines
   * change.
   */
  readonly id: string;
  readonly type: EventType;
  readonly body: Members;
  /** The label by which later lines refer to this click. */
  readonly ref: string | undefined;
  /** The label of the click that this line refers to. */
  readonly clickRef: string | undefined;
  /** Events that share a lane are sent one after the other. */
  readonly lanes: readonly string[];
}

export interface Faulty {
  readonly number: number;
  readonly id: string;
  readonly fault: string;
}

export interface ReplayOptions {
  readonly programId: number;
  readonly isTest: boolean;
}

/** Reads the lines in the order of the file. Returns null for a blank line. */
export function createReader({ programId, isTest }: ReplayOptions): (line: Line) => Event | Faulty | null {
  const copies = new Map<string, number>();

  return ({ number, bytes }) => {
    const text = bytes.toString("utf8").trim();
    if (text === "") return null;
    const digest = createHash("sha256").update(text).digest("base64url").slice(0, 22);
    const copy = (copies.get(digest) ?? 0) + 1;
    copies.set(digest, copy);
    const id = copy === 1 ? digest : `${digest}-${copy}`;
    const faulty = (fault: string): Faulty => ({ number, id, fault });

    const parsed = parse(bytes);
    if (!parsed) return faulty("not a JSON object in UTF-8");
    const { type, ref, click_ref: clickRef, ...body } = parsed;
    if (!isType(type)) return faulty(`type must be one of ${types.join(", ")}`);
    const unknown = unknownFields(type, Object.keys(body));
    if (unknown !== undefined) return faulty(unknown);
    if (!isTest && Object(body.additional_data).test_mode) return faulty("additional_data.test_mode needs --test");
    if (!isName(ref) || !isName(clickRef)) return faulty("ref and click_ref must be strings");
    if (ref != null && type !== "click") return faulty("only a click can have ref");
    if (clickRef != null && (type === "click" || type === "refund")) return faulty(`a ${type} can't have click_ref`);
    if (clickRef != null && body.click_id != null) return faulty("click_id or click_ref, not both");
    const full = {
      ...body,
      ...keyOf(type, body, id),
      ...(type === "click" && { program_id: body.program_id ?? programId }),
    };
    const named = { ref: ref ?? undefined, clickRef: clickRef ?? undefined };
    return { number, id, type, body: isTest ? inTestMode(full) : full, ...named, lanes: lanesOf(full, named) };
  };
}

/**
 * Generates a missing id, by which the service counts a line once if it is sent again. Leads and refunds by total need
 * no id.
 */
function keyOf(type: EventType, body: Members, id: string): Members {
  if (type === "click") return { event_id: body.event_id ?? `replay_${id}` };
  if (type === "sale") return { transaction_id: body.transaction_id ?? `replay_${id}` };
  if (type === "refund" && body.refund_amount_cents != null) return { refund_id: body.refund_id ?? `replay_${id}` };
  return {};
}

const inTestMode = (body: Members): Members => ({
  ...body,
  additional_data: { ...Object(body.additional_data), test_mode: true },
});

function lanesOf(
  { customer_key: customer, click_id: click, transaction_id: transaction, subscription_id: subscription }: Members,
  { ref, clickRef }: Pick<Event, "ref" | "clickRef">,
): string[] {
  const lanes: Members = { customer, click, transaction, subscription, ref: ref ?? clickRef };
  return Object.keys(lanes).flatMap((kind) => (typeof lanes[kind] === "string" ? [`${kind} ${lanes[kind]}`] : []));
}

const isType = (value: unknown): value is EventType => types.some((type) => type === value);
const isName = (value: unknown): value is string | null | undefined => value == null || typeof value === "string";

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parse(bytes: Buffer): Members | undefined {
  try {
    // Decodes strictly, because a key with a replaced letter could belong to another customer.
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
