import { createHmac } from "node:crypto";
import { type Book, bookKey } from "#domain/book.ts";
import { dateUtc, dayIn } from "#domain/calendar.ts";
import { type ClickKeyRing, mintClickId, readClickId } from "#domain/click-id.ts";
import { maxCodeOwners } from "#domain/code-owner.ts";
import type { ClickRowId, ProgramId } from "#domain/ids.ts";
import { codeKeyOf } from "#domain/landing.ts";
import { placeRefusal } from "#domain/program-place.ts";
import { type ClickRow, clickOfEvent, insertClick, recordClickEvent } from "#store/clicks.ts";
import type { Link, Program } from "#store/settings.ts";
import {
  type Call,
  type Commit,
  type Context,
  type Credential,
  type Decision,
  type Operation,
  refuse,
  retryWith,
  type SettingRef,
  type Settings,
} from "../operation.ts";

type VisitColumns = Pick<
  ClickRow,
  | "source"
  | "isBot"
  | "isPrefetch"
  | "pageUrl"
  | "referrerUrl"
  | "pageTitle"
  | "screenResolution"
  | "viewportSize"
  | "language"
  | "timezone"
  | "country"
  | "region"
  | "city"
  | "deviceType"
  | "os"
  | "browser"
>;

/** Data about the visit. It contains values derived from the IP address and the user agent, but neither of them. */
export interface Visit extends VisitColumns {
  /**
   * A keyed digest of IP address and user agent, or of the session id that the caller sent. It is neither stored nor
   * logged.
   */
  readonly visitorDigest: string | null;
}

export interface ClickCall extends Call {
  readonly kind: "click";
  readonly isTest: boolean;
  readonly programId: ProgramId | null;
  readonly code: string | null;
  /** The query parameter that contained the code. Null for `aff`. */
  readonly codeParam: string | null;
  /** The partner's own id for the click (sub-id). */
  readonly sub: string | null;
  readonly key: Credential | undefined;
  readonly occurredAt: number;
  readonly eventId: string | null;
  readonly existingClickId: string | null;
  readonly eventName: string | null;
  /** True if only values needed to credit the partner are stored. */
  readonly isLimited: boolean;
  readonly visit: Visit;
}

export type ClickAnswer =
  | {
      readonly recorded: true;
      readonly eventId: number | undefined;
      readonly programId: ProgramId;
      readonly clickId: string;
      readonly partnerCode: string | undefined;
      readonly cookieWindowDays: number;
    }
  | { readonly recorded: false; readonly reason: "inactive" };

interface AcceptedClick {
  readonly kind: "accept";
  readonly row: Omit<ClickRow, "id">;
  readonly program: Program;
  readonly link: Link | undefined;
}

export const recordClick: Operation<ClickCall, Record<never, never>, ClickAnswer> = {
  kind: "click",
  lane: "traffic",
  needs({ programId, code }) {
    const codeKey = code === null ? undefined : codeKeyOf(code);
    if (programId !== null) return needsOf(programId, codeKey);
    return codeKey === undefined ? [] : [{ kind: "owners", codeKey }];
  },

  gather: () => ({}),

  // Clicks need no locks. If two clicks have the same event id, the database decides which is recorded.
  locks: () => ({ exclusive: [] }),

  decide(call, _found, context) {
    const click = acceptClick(call, context);
    if (click.kind === "accept") return planClick(click, context.newId("clicks"));
    noteUnknownCode(call, context);
    return click;
  },

  // During an outage, a key can't be checked, and the programs that share a code can't be looked up.
  keep(call, context) {
    if (call.key !== undefined || call.isTest || call.programId === null) return undefined;
    const click = acceptClick(call, context);
    if (click.kind === "commit") return click.answer;
    const clickId = click.kind === "accept" ? context.keepClick(click.row) : undefined;
    return click.kind === "accept" && clickId !== undefined ? clickAnswer(click, clickId, 0) : undefined;
  },
};

const needsOf = (programId: ProgramId, codeKey: string | undefined): readonly SettingRef[] => [
  { kind: "program", programId },
  ...(codeKey === undefined ? [] : [{ kind: "code", codeKey, programId } as const]),
];

function acceptClick(call: ClickCall, context: Omit<Context, "newId">): AcceptedClick | Decision<ClickAnswer> {
  const { settings } = context;
  const codeKey = call.code === null ? undefined : codeKeyOf(call.code);
  if (isTestOnly(call)) return refuse({ code: "link_not_found" });
  const programId = call.programId ?? (codeKey === undefined ? undefined : programOfCode(codeKey, settings));
  if (programId === undefined) return refuse({ code: "program_not_found" });
  if (typeof programId === "object") return programId;

  const found = targetOf(programId, call, settings);
  if ("kind" in found) return found;
  const { program, link } = found;
  if (call.key !== undefined && call.key.programId !== program.id) return refuse({ code: "invalid_key" });
  if (program.status === "paused" || link?.isActive === false) {
    return { kind: "commit", programId: program.id, answer: { recorded: false, reason: "inactive" }, writes: [] };
  }

  return { kind: "accept", row: rowOf(call, program, link, context), program, link };
}

function targetOf(
  programId: ProgramId,
  call: ClickCall,
  settings: Settings,
): { readonly program: Program; readonly link: Link | undefined } | Decision<never> {
  const codeKey = call.code === null ? undefined : codeKeyOf(call.code);
  const link = codeKey === undefined ? undefined : settings.linkByCode(codeKey, programId);
  if (link === null || isOnlyForAff(link, call)) return refuse({ code: "link_not_found" });
  const program = settings.program(programId);
  const isLinkMissing = codeKey !== undefined && link === undefined;
  if (program === undefined || isLinkMissing) return retryWith({ needs: needsOf(programId, codeKey) });
  if (program === null) return refuse({ code: "program_not_found" });
  // For a click with a program id, the program's shard was checked before.
  const elsewhere = call.programId === null ? placeRefusal(program) : undefined;
  if (elsewhere !== undefined) return refuse(elsewhere);
  if (program.archivedAt !== null) {
    return refuse({ code: codeKey === undefined ? "program_not_found" : "link_not_found" });
  }
  return { program, link };
}

/**
 * If several programs have the code, or a program on another shard has it, the refusal lists them. The edge then
 * chooses a program by the landing page, and sends the call to the shard of this program.
 */
function programOfCode(codeKey: string, settings: Settings): number | Decision<never> {
  const owners = settings.codeOwners(codeKey);
  if (owners === undefined) return retryWith({ needs: [{ kind: "owners", codeKey }] });
  const [owner, ...others] = owners;
  if (owner === undefined) return refuse({ code: "link_not_found" });
  if (others.length === 0 && !owner.isElsewhere) return owner.programId;
  return refuse({ code: "program_id_required", owners: owners.length > maxCodeOwners ? [] : owners });
}

/**
 * Counts an unknown code. Bots aren't counted, because they try codes, and neither are prefetches. A code that is only
 * valid for `aff` isn't unknown.
 */
function noteUnknownCode(
  { code, programId, isTest, occurredAt, visit }: ClickCall,
  { settings, countUnknownCode }: Pick<Context, "settings" | "countUnknownCode">,
): void {
  if (code === null || programId === null || visit.isBot || visit.isPrefetch) return;
  const program = settings.program(programId);
  const codeKey = codeKeyOf(code);
  if (!program || program.archivedAt !== null || settings.linkByCode(codeKey, programId) !== null) return;
  countUnknownCode({ programId, isTest }, dayIn(program.timezone, occurredAt), codeKey);
}

/**
 * A code that a partner created is valid only in the `aff` parameter. Otherwise a partner could create a code that
 * visitors bring from other sources, such as `ref=newsletter`.
 */
const isOnlyForAff = (link: Link | undefined, { codeParam }: ClickCall): boolean =>
  codeParam !== null && link?.madeBy === "partner";

/**
 * True for a live click with a code that begins with `~`. Such codes belong to the partners of verification runs, and
 * members can't create them.
 */
const isTestOnly = ({ isTest, code }: ClickCall): boolean => !isTest && code?.startsWith("~") === true;

const clickAnswer = (click: AcceptedClick, clickId: string, id: ClickRowId): ClickAnswer => ({
  recorded: true,
  eventId: click.row.isTest ? id : undefined,
  programId: click.program.id,
  clickId,
  partnerCode: click.link?.code,
  cookieWindowDays: click.program.cookieWindowDays,
});

function planClick(click: AcceptedClick, id: ClickRowId): Commit<ClickAnswer> {
  const row = { ...click.row, id };
  const { eventId } = row;
  const answer = clickAnswer(click, row.clickId, id);
  const commit = { kind: "commit", programId: row.programId, answer, writes: writesForClick(row) } as const;
  if (eventId === null) return commit;
  const { programId, isTest } = row;
  const read = clickOfEvent({ programId, isTest, linkId: row.linkId ?? 0, eventId });
  return {
    ...commit,
    resolveAnswer: {
      read,
      answer: (found) => {
        const recorded = found as ReturnType<typeof read.decode>;
        return clickAnswer(click, recorded?.clickId ?? row.clickId, recorded?.id ?? id);
      },
    },
  };
}

function previousClick({ existingClickId }: ClickCall, book: Book, clickKeys: ClickKeyRing): string | null {
  if (existingClickId === null) return null;
  const token = readClickId(clickKeys, existingClickId);
  return token?.programId === book.programId && token.isTest === book.isTest ? existingClickId : null;
}

/**
 * Idempotent. A repeated write adds no click, and neither does a click whose event id was recorded in the last 24
 * hours.
 */
export const writesForClick = (row: ClickRow) =>
  row.eventId === null
    ? [insertClick(row)]
    : [
        recordClickEvent({
          programId: row.programId,
          isTest: row.isTest,
          linkId: row.linkId ?? 0,
          eventId: row.eventId,
          clickId: row.clickId,
          recordedAt: row.createdAt,
        }),
        insertClick(row),
      ];

/** Columns that aren't stored once the daily limit of calls without a key is exceeded. */
const noTexts = {
  eventName: null,
  pageUrl: null,
  referrerUrl: null,
  pageTitle: null,
  screenResolution: null,
  viewportSize: null,
  language: null,
  timezone: null,
};

/** Columns that aren't stored for a limited click. Without `visitor`, the click is counted as that of a new visitor. */
const limits = {
  ...noTexts,
  sub: null,
  existingClickId: null,
  visitor: null,
  country: null,
  region: null,
  city: null,
  deviceType: null,
  os: null,
  browser: null,
} satisfies Partial<ClickRow>;

function rowOf(
  call: ClickCall,
  program: Program,
  link: Link | undefined,
  { clickKeys, visitorKey, countUnsigned }: Pick<Context, "clickKeys" | "visitorKey" | "countUnsigned">,
): Omit<ClickRow, "id"> {
  const book = { programId: program.id, isTest: call.isTest };
  const { visitorDigest: _, ...visitColumns } = call.visit;
  const hasTexts = call.key !== undefined || countUnsigned(book, call.at);
  const day = dayIn(program.timezone, call.occurredAt);
  return {
    ...book,
    clickId: mintClickId(clickKeys, { ...book, linkId: link?.id ?? 0, at: call.occurredAt }, call.operationId),
    linkId: link?.id ?? null,
    partnerId: link?.partnerId ?? null,
    codeParam: call.codeParam,
    sub: call.sub,
    eventId: call.eventId,
    existingClickId: previousClick(call, book, clickKeys),
    eventName: call.eventName,
    visitor: visitorOf(call, book, day, visitorKey),
    ...visitColumns,
    ...(hasTexts ? {} : noTexts),
    ...(call.isLimited ? limits : {}),
    occurredAt: call.occurredAt,
    createdAt: call.at,
    day,
  };
}

/** 72 bits. At a million visitors a day, a collision is expected once in ten billion days. */
const visitorLength = 12;

/**
 * A visitor's clicks have the same value if they are on the same UTC day and the same day in the program's time zone.
 */
function visitorOf(
  { visit: { visitorDigest }, occurredAt }: ClickCall,
  book: Book,
  day: string,
  visitorKey: Context["visitorKey"],
): string | null {
  const key = visitorDigest === null ? undefined : visitorKey(book.programId, dateUtc(occurredAt));
  if (key === undefined) return null;
  return createHmac("sha256", key)
    .update(`${bookKey(book)}|${day}|${visitorDigest}`)
    .digest("base64url")
    .slice(0, visitorLength);
}
