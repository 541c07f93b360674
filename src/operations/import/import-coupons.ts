import { isPlaceholderId } from "#domain/caller-id.ts";
import { caps } from "#domain/caps.ts";
import { couponKey, isNeverValid } from "#domain/coupons.ts";
import type { CouponId, PartnerId } from "#domain/ids.ts";
import { type CouponImport, type RowOutcome, refusedRow } from "#domain/import.ts";
import { notFound } from "#domain/result.ts";
import {
  type CouponSettings,
  couponCount,
  insertCoupon,
  insertCouponCode,
  settingNames,
  settingsOf,
  updateCoupon,
} from "#store/coupons.ts";
import { couponsOfKeys, type KnownCoupon, partnersOfCodes } from "#store/imports.ts";
import { codesOfOffers } from "#store/offers.ts";
import type { Write } from "#store/statement.ts";
import { couponsLock } from "../locks.ts";
import { acting, auditWrite, diff, isArchived, noChange } from "../manage/settings-change.ts";
import { type Context, type Operation, refuse } from "../operation.ts";
import {
  answeredBefore,
  callEntry,
  doneBefore,
  type ImportCall,
  type Imported,
  operationOfRow,
} from "./import-call.ts";

export interface ImportCouponsCall extends ImportCall<CouponImport> {
  readonly kind: "import-coupons";
  /** True if rows may update existing coupons. */
  readonly mayUpdate: boolean;
}

function gather(call: ImportCouponsCall) {
  const { programId, rows } = call;
  const codeKeys = JSON.stringify(rows.map(({ code }) => couponKey(code)));
  return {
    ...doneBefore(call),
    owners: partnersOfCodes({
      programId,
      codeKeys: JSON.stringify(rows.map(({ partnerCode }) => partnerCode.toLowerCase())),
    }),
    known: couponsOfKeys({ programId, codeKeys }),
    offered: codesOfOffers({ programId, codeKeys }),
    coupons: couponCount({ programId }),
  };
}

export const importCoupons: Operation<ImportCouponsCall, ReturnType<typeof gather>, Imported> = {
  kind: "import-coupons",
  lane: "control",
  needs: ({ programId }) => [{ kind: "program", programId }],
  gather,
  locks: ({ programId, isDryRun }) => ({ exclusive: isDryRun ? [] : [couponsLock(programId)] }),

  decide(call, { entry, done, owners, known, offered, coupons }, context) {
    const { programId, isDryRun } = call;
    if (!context.settings.program(programId)) return refuse(notFound("program"));
    if (isArchived(context.settings, programId)) return refuse({ code: "program_archived" });
    const { outcomes, changes } = planCoupons(call, {
      ownerOf: new Map(owners.map((owner) => [owner.codeKey, owner])),
      couponOf: new Map(known.map((coupon) => [coupon.codeKey, coupon])),
      offered: new Set(offered.map(({ codeKey }) => codeKey)),
      room: caps.coupons.max - coupons,
    });
    const planned = outcomes.map(({ sameAs: _, ...outcome }) => outcome);
    const answered = answeredBefore(call, planned, { entry, done });
    if (answered !== undefined) return noChange(programId, { outcomes: answered });
    if (isDryRun || changes.length === 0) return noChange(programId, { outcomes: planned });
    const made = changes.map((change) => ({ line: change.row.line, ...writesOf(call, change, context) }));
    const madeOf = new Map(made.map(({ line, couponId }) => [line, couponId]));
    const told = outcomes.map(({ sameAs, ...outcome }) => {
      const id = outcome.id ?? madeOf.get(sameAs ?? outcome.line);
      return id === undefined ? outcome : { ...outcome, id };
    });
    const writes = [...made.flatMap((each) => each.writes), callEntry(call, "coupons", told, context)];
    return { kind: "commit", programId, answer: { outcomes: told }, writes };
  },
};

interface CouponChange {
  readonly row: CouponImport;
  readonly partnerId: PartnerId;
  readonly settings: CouponSettings;
  /** Undefined if the coupon is new. */
  readonly before: KnownCoupon | undefined;
}

function writesOf(
  call: ImportCouponsCall,
  { row: { line, code }, partnerId, settings, before }: CouponChange,
  context: Context,
): { readonly couponId: CouponId; readonly writes: readonly Write[] } {
  const { programId, at } = call;
  const couponId = before?.id ?? context.newId("coupons");
  const by = { ...acting(call, context.settings), operationId: operationOfRow(call, line) };
  const of = { programId, subject: `coupon ${couponId}` };
  if (before !== undefined) {
    const { before: was, after } = diff(settingsOf(before), settings) ?? { before: {}, after: {} };
    const change = { ...of, action: "coupon.updated", before: was, after };
    return { couponId, writes: [updateCoupon({ id: couponId, ...settings }), auditWrite(by, change, context)] };
  }
  const terms = { partnerId, ...settings };
  const change = { ...of, action: "coupon.created", before: null, after: { couponId, codes: [code], ...terms } };
  const writes = [
    insertCoupon({ id: couponId, programId, ...terms, createdAt: at }),
    insertCouponCode({ programId, codeKey: couponKey(code), code, couponId, position: 0 }),
    auditWrite(by, change, context),
  ];
  return { couponId, writes };
}

interface Owner {
  readonly partnerId: PartnerId;
  readonly isErased: boolean;
  readonly isPaused: boolean;
}

interface Facts {
  /** The partner by code (lower case). */
  readonly ownerOf: ReadonlyMap<string, Owner>;
  /** Existing coupons by `couponKey`. */
  readonly couponOf: ReadonlyMap<string, KnownCoupon>;
  /** Values of `couponKey` for codes that are coupon ids of an offer. */
  readonly offered: ReadonlySet<string>;
  /** The number of coupons that the program can still create. */
  readonly room: number;
}

type PlannedOutcome = RowOutcome & { readonly sameAs?: number | undefined };

const columnOf = { status: "status", validFrom: "valid_from", validUntil: "valid_until" } as const;

/** A row, together with the existing coupon that has the row's code. */
interface Known {
  readonly row: CouponImport;
  readonly owner: Owner;
  /** The coupon before the call. */
  readonly before: KnownCoupon | undefined;
  /** An earlier row of the call with the same code. */
  readonly earlier: CouponChange | undefined;
  readonly present: CouponSettings | undefined;
  readonly settings: CouponSettings;
}

const settingsAfter = (row: CouponImport, present: CouponSettings | undefined): CouponSettings =>
  settingsOf({
    status: row.status ?? present?.status ?? "active",
    validFrom: row.validFrom ?? present?.validFrom ?? null,
    validUntil: row.validUntil ?? present?.validUntil ?? null,
  });

const idOf = (before: KnownCoupon | undefined) => (before === undefined ? {} : { id: before.id });

const warningsOf = ({ isPaused }: Owner) => (isPaused ? { warnings: ["partner_paused"] as const } : {});

/** The result of a row that can't change anything. Undefined for other rows. */
function unchanged(
  { row: { line }, before, earlier, present, settings }: Known,
  mayUpdate: boolean,
): PlannedOutcome | undefined {
  if (present === undefined) return undefined;
  const differing = settingNames.find((name) => settings[name] !== present[name]);
  if (differing === undefined) return { line, result: "unchanged", sameAs: earlier?.row.line, ...idOf(before) };
  return mayUpdate && earlier === undefined
    ? undefined
    : { ...refusedRow(line, "differs", columnOf[differing]), ...idOf(before) };
}

function whyRefused({ row: { line, code }, owner, before, settings }: Known, hasRoom: boolean): RowOutcome | undefined {
  if (owner.isErased) return refusedRow(line, "partner_erased", "partner_code");
  if (isNeverValid(settings)) return refusedRow(line, "never_valid", "valid_until");
  if (before !== undefined) return undefined;
  if (isPlaceholderId(code)) return refusedRow(line, "placeholder_id", "code");
  return hasRoom ? undefined : refusedRow(line, "coupons_full");
}

/** Plans the result of each row, in order. Writes nothing. */
function planCoupons({ rows, mayUpdate }: ImportCouponsCall, { ownerOf, couponOf, offered, room }: Facts) {
  const changes: CouponChange[] = [];
  const inCall = new Map<string, CouponChange>();
  let left = room;
  const planRow = (row: CouponImport): PlannedOutcome => {
    const { line, code, partnerCode } = row;
    const owner = ownerOf.get(partnerCode.toLowerCase());
    if (owner === undefined) return refusedRow(line, "unknown_partner", "partner_code");
    const key = couponKey(code);
    const earlier = inCall.get(key);
    const before = couponOf.get(key);
    const { partnerId } = earlier ?? before ?? owner;
    if (partnerId !== owner.partnerId || offered.has(key)) return refusedRow(line, "coupon_taken", "code");
    const present = earlier?.settings ?? (before && settingsOf(before));
    const settings = settingsAfter(row, present);
    const known = { row, owner, before, earlier, present, settings };
    const outcome = unchanged(known, mayUpdate) ?? whyRefused(known, left > 0);
    if (outcome !== undefined) return outcome;
    const change = { row, partnerId, settings, before };
    inCall.set(key, change);
    changes.push(change);
    if (before === undefined) left -= 1;
    return { line, result: before === undefined ? "created" : "updated", ...idOf(before), ...warningsOf(owner) };
  };
  return { outcomes: rows.map(planRow), changes };
}
