import type { Book } from "#domain/book.ts";
import type { ClickKeyRing, ClickToken } from "#domain/click-id.ts";
import type { CodeOwner } from "#domain/code-owner.ts";
import type { AddressDigests } from "#domain/email-digest.ts";
import type { LinkId, PartnerId, ProgramId } from "#domain/ids.ts";
import type { MembershipHistory, PolicyHistory, PolicyOwner } from "#domain/policy-history.ts";
import type { Group } from "#domain/policy-in-force.ts";
import type { KeyScope } from "#domain/program-key.ts";
import type { Refusal } from "#domain/refusal.ts";
import type { ClickRow } from "#store/clicks.ts";
import type { IdOf, NumberedTable } from "#store/fenced-row.ts";
import type { AllPolicies } from "#store/policies.ts";
import type { Link, Program } from "#store/settings.ts";
import type { Read, Write } from "#store/statement.ts";

// In what order the parts of an operation (below) are called:
//  1. arrive: `lane`, `chain` and `isExclusive` give the call its place in the queue. A key known to be wrong ends here.
//  2. `needs`: the settings that the call is decided by. Those that aren't cached are read.
//  3. `gather`: its own reads, in one request with those of all calls of the round.
//  4. `locks`: the call is deferred to the next round, and begins again at 2, if one ahead of it changes what it locks.
//  5. the key is checked, by settings that no other call is about to change.
//  6. `decide`: without I/O. To refuse ends here.
//  7. retry: a decision that lacks a read names it, and the call begins again at 2 in the next round.
//  8. chain: the calls of a chain are decided in turn in one round, each by the `then` of the one before it.
//  9. commit: the writes of all decisions, in one batch that takes effect once. Without writes the call is answered at once.
// 10. `changes`: the settings that the call has changed are read in the same batch.
// 11. `resolveAnswer`: an answer that only the database can settle, likewise.
// 12. answer: once all of it is durable.

/** The edge Worker creates these once, so that a repeated call changes nothing. */
export interface Call {
  /** 16 hexadecimal digits. */
  readonly operationId: string;
  /** Milliseconds. No event of the call happened later. */
  readonly at: number;
}

/** Only the key's hash reaches the Ledger. */
export interface PresentedKey {
  readonly programId: ProgramId;
  /** SHA-256 of the whole key, lower-case hex. */
  readonly hash: string;
  /** The key must have one of these scopes. */
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
  /** The call is for the test book. */
  readonly isTest?: boolean;
}

export interface VerifiedClick extends ClickToken {
  readonly clickId: string;
}

/** The program is mixed into the keyed digest before it is stored. */
export interface MaskedEmail extends AddressDigests {
  readonly mask: string;
}

export interface OutcomeMeta {
  readonly programId: ProgramId | undefined;
  readonly keyRetiresAt: number | undefined;
  readonly roundTrips: number;
  /** The program has erased customers. */
  readonly hasErased?: boolean;
}

export type Outcome<Answer> =
  | { readonly ok: true; readonly answer: Answer; readonly meta: OutcomeMeta }
  | { readonly ok: false; readonly refusal: Refusal; readonly meta: OutcomeMeta };

/** Codes in lower case. */
export type SettingRef =
  | { readonly kind: "program"; readonly programId: ProgramId }
  | { readonly kind: "link"; readonly linkId: LinkId }
  | { readonly kind: "code"; readonly codeKey: string; readonly programId: ProgramId }
  | { readonly kind: "owners"; readonly codeKey: string }
  | { readonly kind: "policies"; readonly programId: ProgramId; readonly owner: PolicyOwner }
  | { readonly kind: "memberships"; readonly programId: ProgramId; readonly partnerId: PartnerId };

/** Null if the setting doesn't exist, undefined if it hasn't been read. */
export interface Settings {
  program(programId: ProgramId): Program | null | undefined;
  link(linkId: LinkId): Link | null | undefined;
  linkByCode(codeKey: string, programId: ProgramId): Link | null | undefined;
  /** Programs that have the code: all of them, or `maxCodeOwners` + 1. */
  codeOwners(codeKey: string): readonly CodeOwner[] | undefined;
  policies(programId: ProgramId, owner: PolicyOwner): OwnedPolicies | undefined;
  /** Memberships of a partner in groups. */
  memberships(programId: ProgramId, partnerId: PartnerId): MembershipHistory | undefined;
}

/** The program's policies include what is known of all owners, a group's include its name. */
export type OwnedPolicies = PolicyHistory & Partial<AllPolicies> & Partial<Pick<Group, "name">>;

/** Data that has to be read before the call can be decided. `More`: reads that only its operation knows. */
export type Missing<More = unknown> = Partial<More> & {
  readonly needs?: readonly SettingRef[];
  /** The number of rows to read, if known. A round has room for few calls with many. */
  readonly rows?: number;
};

export interface Context {
  readonly settings: Settings;
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
  /** Keys the digests of a program's visitors on a UTC day ("YYYY-MM-DD"). Undefined if the day's key was deleted. */
  visitorKey(programId: ProgramId, day: string): string | undefined;
  /** Counts a call without a key. False beyond the day's volume of the book. */
  countUnsigned(book: Book, at: number): boolean;
  /**
   * Counts a landing with a code that no partner of the program has. `day`: in the program's time zone. The count may
   * be lost.
   */
  countUnknownCode(book: Book, day: string, codeKey: string): void;
  /** The first of `count` consecutive ids. `ledgerEntries` also numbers moves without an entry. */
  newId<Table extends NumberedTable>(table: Table, count?: number): IdOf<Table>;
  /** The posting instant of a ledger entry (ms): never before an earlier entry's. */
  postingAt(): number;
  /** The program's clicks that were kept during an outage and not written yet. */
  keptClicksOf(programId: ProgramId): number;
}

/** For a call that is answered during a database outage, by the settings last read. */
export interface KeepingContext extends Context {
  /** Returns the id of the click, or that of an earlier click with the same event. Undefined if there is no room. */
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
  /** Returned to the caller once the writes are durable; without writes, at once. */
  readonly answer: Answer;
  readonly writes: readonly Write[];
  /** For an answer that only the database can settle: read after the writes, in the same batch. */
  readonly resolveAnswer?: { readonly read: Read<unknown>; readonly answer: (found: unknown) => Answer };
  /** The end of the first hold that begins here (ms). */
  readonly holdUntil?: number | undefined;
  /** The instant of the mails in this commit (ms). */
  readonly mailsAt?: number | undefined;
  readonly changes?: SettingsChange;
  /** Replaces the data gathered for the next call of the chain: its reads, as they will be after these writes. */
  readonly then?: Readonly<Record<string, unknown>>;
}

/**
 * With `partnerIds`, the links and groups of those partners. With `policiesOf`, only that owner's policies. `ofPlace`:
 * the program's place; `arrived`: all its settings as well.
 */
export interface SettingsChange {
  readonly programId: ProgramId;
  readonly partnerIds?: readonly PartnerId[];
  readonly policiesOf?: PolicyOwner;
  /** Only the groups of these partners. */
  readonly membershipsOf?: readonly PartnerId[];
  /** Only these codes, in lower case, which no partner had. */
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

/** Exclusive: state that the call may change. Shared: state that must not change while it is decided. */
export interface Locks {
  readonly exclusive: readonly string[];
  readonly shared?: readonly string[];
}

/**
 * Anyone can send traffic, so it never takes capacity from money, which backends send. Control is for members and
 * operators.
 */
export type Lane = "money" | "traffic" | "control";

/** `More`: a second read, which `decide` requests and `gather` then receives. */
export interface Operation<C extends KeyedCall, R extends GatheredReads, Answer, More = unknown> {
  readonly kind: C["kind"];
  readonly lane: Lane | ((call: C) => Lane);
  /** It changes settings that other calls are decided by, so it gets its own round. */
  readonly isExclusive?: true | ((call: C) => boolean);
  /** It is decided here even if the program is on another shard, or moving. */
  readonly isOfAnyPlace?: true;
  /** It pays, decides or erases, so the daily limit on written bytes never refuses it. */
  readonly isEssential?: true;
  needs(call: C): readonly SettingRef[];
  gather(call: C, more: Partial<More>): R;
  /** A call waits for the next round if an earlier call of this round has changed anything that it locks. */
  locks(call: C, found: Gathered<R>): Locks;
  decide(call: C, found: Gathered<R>, context: Context): Decision<Answer, More>;
  /** One round decides all calls of a chain in turn, each based on the `then` of the one before it. */
  chain?(call: C): string;
  /** For a program that has erased customers: finds the pseudonyms of the call's names, which decide it. */
  names?: {
    read(sent: C, context: Context): Read<unknown>;
    /** The names that are stored differently from how the call sent them. */
    changes(sent: C, found: unknown, context: Context): Partial<C>;
    /** Locks the name as sent: two calls with one name may be stored, and therefore locked, under another. */
    lock?(sent: C): string;
  };
  /** Answers a call during a database outage. Undefined: the call is refused. */
  keep?(call: C, context: KeepingContext): Answer | undefined;
}

export const refuse = (refusal: Refusal): Decision<never> => ({ kind: "refuse", refusal });
export const retryWith = <More = unknown>(missing: Missing<NoInfer<More>>): Decision<never, More> => ({
  kind: "retry",
  missing,
});
