import type { TributaryClient } from "../client.ts";
import { isPlaceholder } from "../placeholder.ts";

/** The keys that link a payment to its customer and partner. `svc_click_id` is missing if there was no click. */
export type CheckoutMetadata = {
  // Processors' own types accept any text under any name, but not undefined.
  [name: string]: string;
  svc_customer_key: string;
  program_id: string;
};

export interface CustomerInput {
  /** The click id that the browser forwarded, if any. */
  readonly clickId?: string | null | undefined;
  /** Your own stable id for the customer, as in their lead. */
  readonly customerKey: string;
  readonly programId: number | string;
}

/**
 * The keys, to be set as metadata of a checkout. A click id that a processor would refuse, or that is a placeholder, is
 * left out. Throws a `TypeError` for an invalid customer key or program id.
 */
export function checkoutMetadata({ clickId, customerKey, programId }: CustomerInput): CheckoutMetadata {
  const key = textOf(customerKey);
  if (typeof customerKey !== "string" || !isPrintableId(key) || isPlaceholder(key)) {
    throw new TypeError(
      "checkoutMetadata: customerKey must be 1 to 255 characters, without control characters, and no placeholder",
    );
  }
  if (!/^[1-9]\d*$/.test(String(programId))) {
    throw new TypeError("checkoutMetadata: programId must be a positive integer");
  }
  const isSent = typeof clickId === "string" && /^[\w.~-]{1,255}$/.test(clickId) && !isPlaceholder(clickId);
  return {
    ...(isSent && { svc_click_id: clickId }),
    svc_customer_key: key,
    program_id: String(programId),
  };
}

/** The keys of a payment's customer, as far as they are known. */
export interface Keys {
  readonly customerKey?: string | undefined;
  readonly clickId?: string | undefined;
  readonly programId?: string | number | undefined;
  /** The reason why the customer key might be something else than a customer's key. */
  readonly doubt?: string;
  /** A placeholder that was found instead of a key. */
  readonly ignored?: string;
}

export const hasKeys = ({ customerKey, clickId }: Keys): boolean => Boolean(customerKey ?? clickId);

/**
 * Returns a key without outer white space. Accepts a number, because a processor or the shop's own code may turn a key
 * of digits into a number.
 */
const textOf = (value: unknown): string =>
  // A larger number has lost digits, so it could be the key of another customer.
  typeof value === "string" ? value.trim() : Number.isSafeInteger(value) ? `${value}` : "";

/** Reads the keys in metadata, and ignores those that can't be sent. */
export function keysIn(metadata: unknown): Keys {
  const sent: Readonly<Record<string, unknown>> = Object(metadata);
  const [key = "", clickId = "", programId = ""] = keyNames.map((name) => keyIn(sent[name]));
  const placeholder = keyNames.find((name) => isPlaceholder(textOf(sent[name])));
  return {
    customerKey: isPrintableId(key) ? key : undefined,
    clickId: (typeof sent.svc_click_id === "string" && clickId) || undefined,
    programId: programId || undefined,
    ...(placeholder && { ignored: ignoring(placeholder) }),
  };
}

const keyNames = ["svc_customer_key", "svc_click_id", "program_id"] as const;

function keyIn(value: unknown): string {
  const text = textOf(value);
  return isPlaceholder(text) ? "" : text;
}

export const ignoring = (name: string): string =>
  `its ${name} is a placeholder such as undefined or {{id}}, and was ignored: correct the code that sets it`;

/** Returns the keys from the first of several places that has keys, and a placeholder that was found before it. */
export function firstKeys(places: readonly Keys[], isWanted: (keys: Keys) => boolean = hasKeys): Keys {
  const at = places.findIndex(isWanted);
  const { ignored } = (at < 0 ? places : places.slice(0, at + 1)).find((place) => place.ignored) ?? {};
  return { ...places[at], ...(ignored && { ignored }) };
}

/** The problem if the keys name another program. */
export const otherProgram = ({ programId }: Keys, tributary: TributaryClient): string | undefined =>
  programId && `${programId}` !== `${tributary.programId}`
    ? `it belongs to program ${programId}, the key to ${tributary.programId}`
    : undefined;

/** True for a text that is accepted as a customer key or the id of a product. */
export const isPrintableId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= 255 && /\S/.test(id) && !/[\p{Cc}\p{Cs}]/u.test(id);
