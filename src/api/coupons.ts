import { isPlaceholderId } from "#domain/caller-id.ts";
import { couponKey, isCouponCode, maxCodesPerCoupon } from "#domain/coupons.ts";
import type { CouponId, ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { CreateCouponCall } from "#operations/coupons/create-coupon.ts";
import type { UpdateCouponCall } from "#operations/coupons/update-coupon.ts";
import { type CouponView, findCoupon } from "#store/views/coupons.ts";
import { readFromDatabase } from "./read-database.ts";

// What members and keys may do with coupons. `field`: its name in the body.

const codesRule = `codes must be an array of 1 to ${maxCodesPerCoupon} codes, each of 1 to 64 printable characters without spaces`;

const areDistinct = (codes: readonly string[]): boolean => new Set(codes.map(couponKey)).size === codes.length;

export const couponCodes = () =>
  z
    .array(z.string(codesRule).refine(isCouponCode, codesRule), codesRule)
    .min(1, codesRule)
    .max(maxCodesPerCoupon, codesRule)
    .refine(areDistinct, "codes must differ, ignoring case")
    .refine((codes) => !codes.some(isPlaceholderId), "codes must not be placeholders such as null or {{id}}")
    .describe(
      "Any of them names the coupon, such as the code that customers enter and its id at the payment processor. Unique in the " +
        "program, ignoring case.",
    );

const instantOf = (field: string) => fields.instant(field).transform((text) => parseTimestamp(text) ?? 0);

const validity = {
  from: "First instant of sales that it counts for.",
  until: "Last instant of sales that it counts for.",
};

export const couponValidity = (field: string, end: keyof typeof validity) =>
  fields.optional(instantOf(field)).describe(validity[end]);

export const changedValidity = (field: string, end: keyof typeof validity) =>
  instantOf(field).nullish().describe(`${validity[end]} Null: without one.`);

export const couponPartner = (field: string) => fields.integer(field, 1, Number.MAX_SAFE_INTEGER);

const noCoupon = { code: "not_found", what: "coupon" } as const;

/** As a change has left it. */
async function readCoupon(c: Ctx, programId: ProgramId, id: CouponId): Promise<Result<CouponView>> {
  const found = await readFromDatabase(c, "program", (database) => findCoupon(database, programId, id));
  if (!found.ok) return found;
  return found.value === undefined ? refused(noCoupon) : ok(found.value);
}

export async function createCoupon(c: Ctx, create: CreateCouponCall): Promise<Result<CouponView>> {
  const outcome = await runOperation(c, create);
  return outcome.ok ? readCoupon(c, create.programId, outcome.answer.couponId) : refused(outcome.refusal);
}

/** `couponId`: undefined for a path that names none. */
export async function updateCoupon(
  c: Ctx,
  update: Omit<UpdateCouponCall, "couponId"> & { readonly couponId: CouponId | undefined },
): Promise<Result<CouponView>> {
  const { couponId } = update;
  if (couponId === undefined) return refused(noCoupon);
  const call = { ...update, couponId };
  const outcome = await runOperation(c, call);
  return outcome.ok ? readCoupon(c, call.programId, couponId) : refused(outcome.refusal);
}
