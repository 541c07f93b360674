import { isPlaceholderId } from "#domain/caller-id.ts";
import { couponKey, isCouponCode, maxCodesPerCoupon } from "#domain/coupons.ts";
import type { CouponId, ProgramId } from "#domain/ids.ts";
import { activeStatuses } from "#domain/program-status.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { cutPage, idCursor } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import {
  type CouponsOfPartner,
  type CouponView,
  findCoupon,
  listCoupons,
  listPartnerCoupons,
} from "#store/views/coupons.ts";
import type { Caller, Naming } from "./caller.ts";
import { readFromDatabase } from "./read-database.ts";
import { readPage } from "./read-page.ts";

export const couponRecord = record("Coupon", {
  id: id(),
  codes: z.array(z.string()).describe("Codes as entered. They never change."),
  partnerId: id().describe("Id of the partner. It never changes."),
  partnerCode: z.string().describe("The partner's first code."),
  partnerName: z.string(),
  status: z.enum(activeStatuses),
  validFrom: instantOrNull("Time from which sales can use the coupon. Null if there is no start."),
  validUntil: instantOrNull("Time up to which sales can use the coupon. Null if there is no end."),
  createdAt: instant(),
});

export const ownCouponRecord = record("OwnCoupon", {
  codes: z.array(z.string()).describe("Codes of the coupon. A sale that is sent with any of them uses the coupon."),
  status: z.enum(activeStatuses).describe("A `paused` coupon credits no sales to you."),
  validFrom: instantOrNull("Time from which sales can use the coupon. Null if there is no start."),
  validUntil: instantOrNull("Time up to which sales can use the coupon. Null if there is no end."),
});

const codesRule = `codes must be an array of 1 to ${maxCodesPerCoupon} codes, each of 1 to 64 printable characters without spaces`;

const areDistinct = (codes: readonly string[]): boolean => new Set(codes.map(couponKey)).size === codes.length;

const codes = () =>
  z
    .array(z.string(codesRule).refine(isCouponCode, codesRule), codesRule)
    .min(1, codesRule)
    .max(maxCodesPerCoupon, codesRule)
    .refine(areDistinct, "codes must differ, ignoring case")
    .refine((codes) => !codes.some(isPlaceholderId), "codes must not be placeholders such as null or {{id}}")
    .describe(
      "Codes, each of which identifies the coupon: for example, the code that customers enter, and its id at the payment processor. " +
        "Unique in the program, ignoring case.",
    );

const instantOf = (field: string) => fields.instant(field).transform((text) => parseTimestamp(text) ?? 0);
const status = () => fields.omittable(fields.oneOf("status", activeStatuses));
const from = "Sales from this time on can use the coupon.";
const until = "Sales up to this time can use the coupon.";

export const newCoupon = (name: Naming) =>
  z.object({
    codes: codes(),
    partnerId: fields.integer(name("partnerId"), 1, Number.MAX_SAFE_INTEGER),
    validFrom: fields.optional(instantOf(name("validFrom"))).describe(from),
    validUntil: fields.optional(instantOf(name("validUntil"))).describe(until),
    status: status().describe("Defaults to `active`."),
  });
type NewCoupon = z.output<ReturnType<typeof newCoupon>>;

export const couponChanges = (name: Naming) =>
  z.object({
    status: status(),
    validFrom: instantOf(name("validFrom")).nullish().describe(`${from} Null removes the start.`),
    validUntil: instantOf(name("validUntil")).nullish().describe(`${until} Null removes the end.`),
  });
type CouponChanges = z.output<ReturnType<typeof couponChanges>>;

export const couponFilter = (name: Naming) =>
  z.object({
    partnerId: fields.programId(name("partnerId")).optional().describe("Lists only this partner's coupons."),
    code: fields.callerId("code").optional().describe("Lists only the coupon with this code."),
    status: fields.oneOf("status", activeStatuses).optional(),
  });
type CouponFilter = z.output<ReturnType<typeof couponFilter>>;

export const couponPages = { ...idCursor("coupons"), size: 50 };

/** Reads a page of coupons, newest first. */
export const readCoupons = (c: Ctx, programId: ProgramId, { partnerId, code, status }: CouponFilter, before: number) =>
  readPage(c, "program", couponPages, (database, limit) => {
    const codeKey = code === undefined ? undefined : couponKey(code);
    return listCoupons(database, programId, { partnerId, codeKey, status }, { before, limit });
  });

/**
 * Reads a page of a partner's coupons, newest first. `next` is a coupon code, because ids would reveal how many coupons
 * other programs create.
 */
export async function readOwnCoupons(c: Ctx, asked: CouponsOfPartner, size: number) {
  const found = await readFromDatabase(c, "program", (database) =>
    listPartnerCoupons(database, { ...asked, limit: size + 1 }),
  );
  if (!found.ok) return found;
  const { page, last } = cutPage(found.value, size);
  return ok({ page, next: last?.codes[0] });
}

async function readCoupon(c: Ctx, programId: ProgramId, id: CouponId): Promise<Result<CouponView>> {
  const found = await readFromDatabase(c, "program", (database) => findCoupon(database, programId, id));
  if (!found.ok) return found;
  return found.value === undefined ? refused(notFound("coupon")) : ok(found.value);
}

export async function createCoupon(c: Ctx, by: Caller, { status = "active", ...coupon }: NewCoupon) {
  const made = await runOperation(c, { ...by, kind: "create-coupon", ...coupon, status } as const);
  return made.ok ? readCoupon(c, by.programId, made.answer.couponId) : refused(made.refusal);
}

export async function updateCoupon(c: Ctx, by: Caller, couponId: CouponId, changes: CouponChanges) {
  const updated = await runOperation(c, { ...by, kind: "update-coupon", couponId, changes } as const);
  return updated.ok ? readCoupon(c, by.programId, couponId) : refused(updated.refusal);
}
