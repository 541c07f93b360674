import type { TributaryClient } from "../client.ts";

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
 * The keys, to be set as metadata of a checkout. A click id that a processor would refuse is left out. Throws a
 * `TypeError` for an invalid customer key or program id.
 */
export function checkoutMetadata({ clickId, customerKey, programId }: CustomerInput): CheckoutMetadata {
  if (!isPrintableId(customerKey)) {
    throw new TypeError("checkoutMetadata: customerKey must be 1 to 255 characters, without control characters");
  }
  if (!/^[1-9]\d*$/.test(String(programId))) {
    throw new TypeError("checkoutMetadata: programId must be a positive integer");
  }
  return {
    ...(typeof clickId === "string" && /^[\w.~-]{1,255}$/.test(clickId) && { svc_click_id: clickId }),
    svc_customer_key: customerKey,
    program_id: String(programId),
  };
}

/** The keys of a payment's customer, as far as they are known. */
export interface Keys {
  readonly customerKey?: string | undefined;
  readonly clickId?: string | undefined;
  readonly programId?: string | number | undefined;
  /** The reason why the customer key may be something else. */
  readonly doubt?: string;
}

export const hasKeys = ({ customerKey, clickId }: Keys): boolean => Boolean(customerKey ?? clickId);

/** Ignores keys that can't be sent. Some processors keep a number as a number, and so may the shop's own code. */
export function keysIn(metadata: unknown): Keys {
  const { svc_customer_key: key, svc_click_id: clickId, program_id: programId } = Object(metadata);
  // A larger number has lost digits: it may be that of another customer.
  const customerKey = Number.isSafeInteger(key) ? `${key}` : key;
  return {
    customerKey: isPrintableId(customerKey) ? customerKey : undefined,
    clickId: typeof clickId === "string" && clickId !== "" ? clickId : undefined,
    programId: programId || undefined,
  };
}

/** The problem if the keys name another program. */
export const otherProgram = ({ programId }: Keys, tributary: TributaryClient): string | undefined =>
  programId && `${programId}` !== `${tributary.programId}`
    ? `it belongs to program ${programId}, the key to ${tributary.programId}`
    : undefined;

/** Accepted as a customer key or the id of a product. */
export const isPrintableId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= 255 && /\S/.test(id) && !/[\p{Cc}\p{Cs}]/u.test(id);
