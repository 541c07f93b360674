import type { Book } from "#domain/book.ts";
import type { ClickKeyRing, ClickToken } from "#domain/click-id.ts";
import type { CodeOwner } from "#domain/code-owner.ts";
import type { AddressDigests } from "#domain/email-digest.ts";
import type { LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { MembershipHistory, PolicyHistory, PolicyOwner } from "#domain/policy-history.ts";
import type { Group } from "#domain/policy-in-force.ts";
import type { KeyScope } from "#domain/program-key.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { StepHistory } from "#domain/step-history.ts";
import type { ClickRow } from "#store/clicks.ts";
import type { IdOf, NumberedTable } from "#store/fenced-row.ts";
import type { AllPolicies } from "#store/policies.ts";
import type { Link, Program } from "#store/settings.ts";
import type { Read, Write } from "#store/statement.ts";

// The steps of a call through its operation (`Operation` below). A round is a group of calls whose reads are sent as one
// request, and whose writes are one commit.
//  1. arrive: `lane`, `chain` and `isExclusive` decide the call's position in the queue. A call whose key is known to be
//     wrong is refused here.
//  2. `needs`: names the settings that the decision depends on. Those that aren't cached are read.
//  3. `gather`: names the call's own reads, which are sent with those of the whole round.
//  4. `locks`: if an earlier call of the round changes what this call locks, this call starts again at 2 in the next
//     round.
//  5. The key is checked against settings that no other call is about to change.
//  6. `decide`: decides without I/O. A refused call ends here.
//  7. retry: a decision that needs another read names it, and the call starts again at 2 in the next round.
//  8. chain: calls of one chain are decided in order in one round, each from the `then` of the call before it.
//  9. commit: the writes of all decisions are one idempotent batch. A call without writes is answered immediately.
// 10. `changes`: the batch also reads the settings that the call has changed.
// 11. `resolveAnswer`: the batch also reads what an answer needs from the database after the writes.
// 12. answer: sent once the batch is durable.

/** The edge Worker sets both fields once per request, so a retry has the same values and changes nothing. */
export interface Call {
  /** 16 hexadecimal digits, for a call that comes from a request. */
  readonly operationId: string;
  /** When the service received the call (ms). No event of the call may be later. */
  readonly at: number;
}

/** A program key as the Ledger receives it: only its hash. */
export interface PresentedKey {
  readonly programId: ProgramId;
  /** SHA-256 of the whole key in lower-case hex. */
  readonly hash: string;
  /** The key must have at least one of these scopes. */
  readonly scopes: readonly [KeyScope, ...KeyScope[]];
}

export interface TrustedCaller {
  readonly programId: ProgramId;
  readonly vouched: true;
}

export type Credential = PresentedKey | TrustedCaller;

export interface KeyedCall extends Call {
  readonly kind: string;
  readonly key?: Credential | undefined;
  /** True if the call concerns test events, which never mix with live events. */
  readonly isTest?: boolean;
}

export interface VerifiedClick extends ClickToken {
  readonly clickId: string;
}

/** Digests of an email address and its masked form. The program id is mixed into the digests before they are stored. */
export interface MaskedEmail extends AddressDigests {
  readonly mask: string;
}

export interface OutcomeMeta {
  readonly programId: ProgramId | undefined;
  readonly keyRetiresAt: number | undefined;
  readonly roundTrips: number;
  /** True if the program has erased customers. */
  readonly hasErased?: boolean;
}

export type Outcome<Answer> =
  | { readonly ok: true; readonly answer: Answer; readonly meta: OutcomeMeta }
  | { readonly ok: false; readonly refusal: Refusal; readonly meta: OutcomeMeta };

/** Identifies a setting to read. Codes are in lower case. */
export type SettingRef =
  | { readonly kind: "program"; readonly programId: ProgramId }
  | { readonly kind: "link"; readonly linkId: LinkId }
  | { readonly kind: "code"; readonly codeKey: string; readonly programId: ProgramId }
  | { readonly kind: "owners"; readonly codeKey: string }
  | { readonly kind: "policies"; readonly programId: ProgramId; readonly owner: PolicyOwner }
  | { readonly kind: "memberships" | "steps"; readonly programId: ProgramId; readonly partnerId: PartnerId };

/** Cached settings. Null means that the setting doesn't exist, undefined that it hasn't been read. */
export interface Settings {
  program(programId: ProgramId): Program | null | undefined;
  link(linkId: LinkId): Link | null | undefined;
  linkByCode(codeKey: string, programId: ProgramId): Link | null | undefined;
  /** The programs that have the code, at most `maxCodeOwners` + 1 of them. */
  codeOwners(codeKey: string): readonly CodeOwner[] | undefined;
  policies(programId: ProgramId, owner: PolicyOwner): OwnedPolicies | undefined;
  /** The partner's memberships in groups. */
  memberships(programId: ProgramId, partnerId: PartnerId): MembershipHistory | undefined;
  /** The cached steps that the partner has reached. */
  steps(programId: ProgramId, partnerId: PartnerId): StepHistory | undefined;
}

/**
 * The cached policies of one owner (the program, a group or a partner). Those of the program also summarize the
 * policies of all owners, and those of a group include its name.
 */
export type OwnedPolicies = PolicyHistory & Partial<AllPolicies> & Partial<Pick<Group, "name">>;

/** Data to read before the call can be decided. `More` holds the reads that only this operation defines. */
export type Missing<More = unknown> = Partial<More> & {
  readonly needs?: readonly SettingRef[];
  /** The number of rows to read, if known. It limits how many calls with large reads share a round. */
  readonly rows?: number;
};

export interface Context {
  readonly settings: Settings;
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
  /**
   * The key for the visitor digests of a program on a UTC day ("YYYY-MM-DD"). Undefined if that day's key was deleted.
   */
  visitorKey(programId: ProgramId, day: string): string | undefined;
  /**
   * Counts a call that was sent without a key. Returns false once the `book` (the live or the test events of one
   * program) exceeds its daily limit.
   */
  countUnsigned(book: Book, at: number): boolean;
  /**
   * Counts a visit with a code that no partner of the program has. `day` is in the program's time zone. A crash can
   * lose the count.
   */
  countUnknownCode(book: Book, day: string, codeKey: string): void;
  /**
   * Reserves `count` consecutive ids and returns the first. Ids of `ledgerEntries` also number events that have no
   * entry, such as approvals.
   */
  newId<Table extends NumberedTable>(table: Table, count?: number): IdOf<Table>;
  /** The instant at which an entry is posted (ms). It is never earlier than that of a previous entry. */
  postingAt(): number;
  /** The number of the program's clicks that were stored during a database outage and aren't in the database yet. */
  keptClicksOf(programId: ProgramId): number;
}

/** For a call that is answered during a database outage from the settings that were read last. */
export interface KeepingContext extends Context {
  /**
   * Stores the click until the database is back. Returns its id, or the id of an earlier click with the same event.
   * Undefined if the storage is full.
   */
  keepClick(click: Omit<ClickRow, "id">): string | undefined;
}

export interface Deciding {
  readonly program: Program;
  readonly context: Context;
  readonly at: number;
}

export type Decision<Answer, More = unknown> =
  | { readonly kind: "refuse"; readonly refusal: Refusal }
  | { readonly kind: "retry"; readonly missing: Missing<More> }
  | Commit<Answer>;

export interface Commit<Answer> {
  readonly kind: "commit";
  readonly programId: ProgramId;
  /** Sent to the caller once the writes are durable. Without writes, it is sent immediately. */
  readonly answer: Answer;
  readonly writes: readonly Write[];
  /** Reads what the answer needs from the database. The read runs after the writes, in the same batch. */
  readonly resolveAnswer?: { readonly read: Read<unknown>; readonly answer: (found: unknown) => Answer };
  /** When the alarm must ring because of this commit (ms), such as at the earliest end of a hold that it starts. */
  readonly holdUntil?: number | undefined;
  /** When the mails of this commit are due (ms). */
  readonly mailsAt?: number | undefined;
  readonly changes?: SettingsChange;
  /** Replaces gathered reads for the next call of the chain with their values after these writes. */
  readonly then?: Readonly<Record<string, unknown>>;
}

/**
 * The cached settings that a commit changes: those of the program, and with `partnerIds` also the links and groups of
 * these partners. `policiesOf` limits the change to the policies of one owner. `ofPlace` is set if the program's shard
 * or migration state has changed. If it is `arrived`, all of the program's settings are read again.
 */
export interface SettingsChange {
  readonly programId: ProgramId;
  readonly partnerIds?: readonly PartnerId[];
  readonly policiesOf?: PolicyOwner;
  /** Limits the change to the group memberships of these partners. */
  readonly membershipsOf?: readonly PartnerId[];
  /** Limits the change to these codes (lower case), which no partner had before. */
  readonly addedCodes?: readonly string[];
  readonly ofPlace?: "changed" | "arrived";
}

export type GatheredReads = Readonly<Record<string, Read<unknown> | undefined>>;
export type Gathered<R extends GatheredReads> = {
  readonly [Name in keyof R]: R[Name] extends Read<infer T>
    ? T
    : R[Name] extends Read<infer T> | undefined
      ? T | undefined
      : never;
};

/**
 * Exclusive locks cover state that the call may change. Shared locks cover state that must not change while the call is
 * decided.
 */
export interface Locks {
  readonly exclusive: readonly string[];
  readonly shared?: readonly string[];
}

/**
 * Anyone can send `traffic` (clicks and browser leads), so it never takes capacity from `money`, which backends send.
 * `control` is for all other calls, such as those of members, and for the Ledger's own steps.
 */
export type Lane = "money" | "traffic" | "control";

/** Decides calls of one kind. `More` describes a second read, which `decide` requests and `gather` then receives. */
export interface Operation<C extends KeyedCall, R extends GatheredReads, Answer, More = unknown> {
  readonly kind: C["kind"];
  readonly lane: Lane | ((call: C) => Lane);
  /** Runs the call alone in its round, because it changes settings or data that other calls use without a lock. */
  readonly isExclusive?: true | ((call: C) => boolean);
  /** Decides the call on this shard even if the program is on another shard, or is being migrated. */
  readonly isOfAnyPlace?: true;
  /** Exempts the call from the daily limit on written bytes, because it pays, decides or erases. */
  readonly isEssential?: true;
  needs(call: C): readonly SettingRef[];
  gather(call: C, more: Partial<More>): R;
  /** The call waits for the next round if an earlier call of this round changes anything that it locks. */
  locks(call: C, found: Gathered<R>): Locks;
  decide(call: C, found: Gathered<R>, context: Context): Decision<Answer, More>;
  /** Calls with the same chain are decided in order in one round, each from the `then` of the call before it. */
  chain?(call: C): string;
  /**
   * For a program with erased customers. Replaces identifiers of the call by the pseudonyms of erased customers before
   * the call is decided.
   */
  names?: {
    read(sent: C, context: Context): Read<unknown>;
    /** The identifiers that are stored differently from how the call sent them. */
    changes(sent: C, found: unknown, context: Context): Partial<C>;
    /**
     * Locks the identifier as it was sent. Two calls with the same identifier can be stored, and therefore locked,
     * under different pseudonyms.
     */
    lock?(sent: C): string;
  };
  /** Answers a call during a database outage. Undefined refuses the call. */
  keep?(call: C, context: KeepingContext): Answer | undefined;
}

export const refuse = (refusal: Refusal): Decision<never> => ({ kind: "refuse", refusal });
export const retryWith = <More = unknown>(missing: Missing<NoInfer<More>>): Decision<never, More> => ({
  kind: "retry",
  missing,
});
