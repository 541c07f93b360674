import type { ClickKeyRing, ClickToken } from "../domain/click-id.ts";
import type { CodeOwner } from "../domain/code-owner.ts";
import type { Refusal } from "../domain/refusal.ts";
import type { NumberedTable } from "../store/fenced-row.ts";
import type { Link, Program } from "../store/settings.ts";
import type { Read, Write } from "../store/statement.ts";

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

/** A call that the Worker itself answers for: it has seen the session of a member who may make it. */
export interface TrustedCaller {
  readonly programId: number;
  readonly vouched: true;
}

/** By what right a call speaks for a program. */
export type Credential = PresentedKey | TrustedCaller;

/** A call that may show by what right it is made. */
export interface KeyedCall extends Call {
  readonly kind: string;
  readonly key?: Credential | undefined;
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

/** A setting that an operation wants at hand. Codes in lower case. */
export type SettingRef =
  | { readonly kind: "program"; readonly programId: number }
  | { readonly kind: "link"; readonly linkId: number }
  | { readonly kind: "code"; readonly codeKey: string; readonly programId: number }
  | { readonly kind: "owners"; readonly codeKey: string };

/** Settings as they are now: null where there is none, undefined where it has not been asked for. */
export interface Settings {
  program(programId: number): Program | null | undefined;
  link(linkId: number): Link | null | undefined;
  linkByCode(codeKey: string, programId: number): Link | null | undefined;
  /** The programs that have the code: all of them, or `maxCodeOwners` + 1. */
  codeOwners(codeKey: string): readonly CodeOwner[] | undefined;
}

/** What a first look showed to be missing; it is there at the next. */
export interface More {
  readonly needs?: readonly SettingRef[];
  /** A customer whose sales are wanted, and how far they have followed the customer before. */
  readonly salesOf?: SalesAfter;
}

/** A customer's sales from a point on, in the order of time. */
export interface SalesAfter {
  readonly customerId: number;
  readonly afterOccurredAt: number;
  readonly afterSaleId: number;
  /** The first of them alone: it has too many refunds to follow with others. */
  readonly isAlone?: true;
}

/** What decisions are made with beside the call and what was found. */
export interface Context {
  readonly settings: Settings;
  readonly clickKeys: ClickKeyRing;
  /** Keys the digests of e-mail addresses. */
  readonly hashSecret: string;
  /** Keys the digests of visitors on a UTC day ("YYYY-MM-DD"); undefined where the day's key is gone. */
  visitorKey(day: string): string | undefined;
  newId(table: NumberedTable): number;
  /** When a ledger entry is written (ms): never before an earlier one's. */
  postingAt(): number;
}

export type Decision<Answer> =
  | { readonly kind: "refuse"; readonly refusal: Refusal }
  | { readonly kind: "retry"; readonly more: More }
  | Commit<Answer>;

export interface Commit<Answer> {
  readonly kind: "commit";
  readonly programId: number;
  /** What the caller is told once the writes are durable; without writes, at once. */
  readonly answer: Answer;
  readonly writes: readonly Write[];
  /** Where the database has the last word: what is found once the writes are done amends the answer. */
  readonly amend?: { readonly read: Read<unknown>; readonly answer: (found: unknown) => Answer };
  /** When a hold that begins here ends. */
  readonly holdUntil?: number | undefined;
  readonly changes?: SettingsChange;
  /** Of what a call of the same chain asks for, all that these writes may change, as it is once they are done. */
  readonly then?: Readonly<Record<string, unknown>>;
}

/** Settings that a call changes: of a program, and where a partner is named, of that partner's links. */
export interface SettingsChange {
  readonly programId: number;
  readonly partnerId?: number;
}

export type GatheredReads = Readonly<Record<string, Read<unknown> | undefined>>;
/** What named reads found; undefined where a read was left out. */
export type Gathered<R extends GatheredReads> = {
  readonly [Name in keyof R]: R[Name] extends Read<infer T>
    ? T
    : R[Name] extends Read<infer T> | undefined
      ? T | undefined
      : never;
};

/** Names of what a call may change, and of what it only needs to stay as it is. */
export interface Locks {
  readonly exclusive: readonly string[];
  readonly shared?: readonly string[];
}

/** One verb of the ledger: what it must know, what of it excludes others, and what follows. */
export interface Operation<C extends KeyedCall, R extends GatheredReads, Answer> {
  /** It changes what other calls are decided by, so it has a round of its own. */
  readonly isExclusive?: true;
  needs(call: C): readonly SettingRef[];
  gather(call: C, more: More): R;
  /** What it depends on: a call waits for the next round where an earlier one of this round has changed any of it. */
  locks(call: C, found: Gathered<R>): Locks;
  decide(call: C, found: Gathered<R>, context: Context): Decision<Answer>;
  /**
   * Calls of one chain ask for the same, and each changes it: a round decides several, each by what the one before it
   * leads to.
   */
  chain?(call: C): string;
}

export const refuse = (refusal: Refusal): Decision<never> => ({ kind: "refuse", refusal });
export const retryWith = (more: More): Decision<never> => ({ kind: "retry", more });
