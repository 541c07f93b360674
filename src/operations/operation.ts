import type { ClickToken } from "../domain/click-id.ts";
import type { Refusal } from "../domain/refusal.ts";

/** What every call carries: minted once by the edge Worker, so that sending the call again changes nothing. */
export interface Call {
  /** 16 hexadecimal digits. */
  readonly operationId: string;
  /** The instant of the call, in milliseconds. */
  readonly at: number;
}

/** A program key as its caller showed it: only its hash travels. */
export interface PresentedKey {
  readonly programId: number;
  /** SHA-256 of the whole key, lower-case hex. */
  readonly hash: string;
}

/** A click id whose signature was checked. */
export interface VerifiedClick extends ClickToken {
  readonly clickId: string;
}

/** A digest of an e-mail address (keyed; the program is mixed in before it is stored) and its mask. */
export interface MaskedEmail {
  readonly digest: string;
  readonly mask: string;
}

/** What the Ledger tells of the call beside the answer. */
export interface OutcomeMeta {
  readonly programId: number | undefined;
  /** The instant the presented key retires, where a newer one exists. */
  readonly keyRetiresAt: number | undefined;
  /** Requests to the database that this call waited for. */
  readonly roundTrips: number;
}

export type Outcome<Answer> =
  | { readonly ok: true; readonly answer: Answer; readonly meta: OutcomeMeta }
  | { readonly ok: false; readonly refusal: Refusal; readonly meta: OutcomeMeta };
