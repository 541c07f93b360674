import { isPlaceholderId } from "#domain/caller-id.ts";
import { isCouponCode } from "#domain/coupons.ts";
import type { GroupId } from "#domain/ids.ts";
import {
  isOfferOver,
  type OfferCoupons,
  type OfferProcessor,
  type OfferTerms,
  type OfferVersion,
  termsOfOffer,
} from "#domain/offers.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { callLedger, runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { refuseInvalid, type Validated } from "#http/refusal/validation.ts";
import * as fields from "#http/schema/form-fields.ts";
import { parseTimestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { JudgeFirstSaleCall } from "#operations/offers/judge-first-sale.ts";
import type { SetOfferCall } from "#operations/offers/set-offer.ts";
import { readBatch, readOne } from "#store/database.ts";
import { groupOfProgram } from "#store/groups.ts";
import { newestOffer, type OfferOwner, offerOfPartner } from "#store/offers.ts";
import { noGroup } from "./groups.ts";
import { longText } from "./join.ts";
import { readFromDatabase } from "./read-database.ts";

const maxLabel = 80;
const maxDetails = 500;

const idsOf = {
  stripe: "Id of a Stripe coupon, not of a promotion code.",
  paddle: "Id of a Paddle discount: `dsc_…`.",
  lemonSqueezy: "Code of a Lemon Squeezy discount.",
  polar: "Id of a Polar discount.",
  other: "The id that your own checkout uses, and that you send in `coupon_codes`.",
} as const satisfies Record<OfferProcessor, string>;

const couponId = (processor: OfferProcessor) => {
  const name = `offer.couponIds.${processor}`;
  const rule = `${name} must be 1 to 64 printable characters without spaces`;
  const id = z
    .string(rule)
    .refine(isCouponCode, rule)
    .refine((text) => !isPlaceholderId(text), `${name} must not be a placeholder such as null or {{id}}`);
  return fields.omittable(id).describe(idsOf[processor]);
};

const CouponIds = z
  .object(
    {
      stripe: couponId("stripe"),
      paddle: couponId("paddle"),
      lemonSqueezy: couponId("lemonSqueezy"),
      polar: couponId("polar"),
      other: couponId("other"),
    },
    "offer.couponIds must be an object",
  )
  .openapi("NewOfferCouponIds");

const shownId = (processor: OfferProcessor) => z.string().optional().describe(idsOf[processor]);

export const OfferCouponIds = z
  .object({
    stripe: shownId("stripe"),
    paddle: shownId("paddle"),
    lemonSqueezy: shownId("lemonSqueezy"),
    polar: shownId("polar"),
    other: shownId("other"),
  })
  .openapi("OfferCouponIds");

const label = () => fields.nonBlank("label", maxLabel).describe('What the customer gets: "20% off your first year".');

const Offer = z
  .object(
    {
      label: label(),
      details: fields
        .optional(longText("details", maxDetails))
        .transform((text) => text || null)
        .describe("Conditions of the offer, as text."),
      couponIds: CouponIds,
      until: fields
        .optional(fields.instant("until"))
        .describe("Last time at which new customers get the offer. Null if the offer has no end."),
    },
    "offer must be an object or null",
  )
  .openapi("Offer");

const NoOffer = z
  .object({ none: z.literal(true, "none must be true") })
  .openapi("NoOffer", { description: "No offer, even if the program has one." });

const OfferState = z
  .union([NoOffer, Offer, z.null()])
  .describe(
    "The offer, or `none` for no offer. Null: a group's partners use the program's offer, and a program has no offer.",
  );

export const OfferBody = z.object({ offer: OfferState }).openapi("OfferSetting");
type OfferBody = z.output<typeof OfferBody>;

const given = z.object({ offer: Offer });
const none = z.object({ offer: NoOffer });

/** The field `offer` accepts two forms. Reports the errors of the form that the caller probably meant. */
export function refuseInvalidOffer(result: Validated, c: Ctx) {
  if (result.success) return undefined;
  const sent = c.get("body");
  const isNone = typeof sent?.offer === "object" && sent.offer !== null && "none" in sent.offer;
  const meant = isNone ? none : given;
  return refuseInvalid(meant)(meant.safeParse(sent), c);
}

function offerSent({ offer }: OfferBody): SetOfferCall["offer"] {
  if (offer === null) return "inherited";
  if ("none" in offer) return "none";
  const { until, couponIds, ...words } = offer;
  const ids: OfferCoupons = Object.fromEntries(Object.entries(couponIds).filter(([, id]) => id !== undefined));
  return { ...words, couponIds: ids, until: until === null ? null : (parseTimestamp(until) ?? null) };
}

/** Sets the offer of the program or, with `groupId`, of a group. Returns the newest version. */
export async function setOffer(
  c: Ctx,
  by: Pick<SetOfferCall, "operationId" | "at" | "actorId" | "programId">,
  groupId: GroupId | null,
  body: OfferBody,
): Promise<Result<OfferVersion | undefined>> {
  const set = await runOperation(c, { ...by, kind: "set-offer", groupId, offer: offerSent(body) } as const);
  if (!set.ok) return refused(set.refusal);
  return readFromDatabase(c, "program", (database) =>
    readOne(database, newestOffer({ programId: by.programId, groupId })),
  );
}

export async function readOffer(c: Ctx, { programId, groupId }: OfferOwner): Promise<Result<OfferVersion | undefined>> {
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      group: groupOfProgram({ programId, id: groupId ?? 0 }),
      newest: newestOffer({ programId, groupId }),
    }),
  );
  if (!found.ok) return found;
  return groupId !== null && found.value.group === undefined ? refused(noGroup) : ok(found.value.newest);
}

const Shown = z.object({
  offer: z
    .union([
      z.object({
        label: z.string(),
        details: z.string().nullable(),
        couponIds: OfferCouponIds,
        until: z.iso.datetime().nullable(),
      }),
      NoOffer,
      z.null(),
    ])
    .describe(
      "The offer, or `none` for no offer. Null: a group's partners use the program's offer, and a program has no offer.",
    ),
});

export const OfferReply = z.object({ data: Shown });

export function offerReply(version: OfferVersion | undefined): z.output<typeof OfferReply> {
  if (version?.state === "none") return { data: { offer: { none: true } } };
  const terms = version && termsOfOffer(version);
  return { data: { offer: terms === undefined ? null : { ...terms, until: timestampOrNull(terms.until) } } };
}

export interface OfferGiven {
  readonly offer: OfferTerms | null;
  readonly partnerCode: string | null;
  /** The reason why the customer gets no offer. Null if they get one. */
  readonly reason: string | null;
}

/** Decides whether a customer gets the offer at their first purchase. */
export async function judgeOffer(c: Ctx, call: JudgeFirstSaleCall): Promise<Result<OfferGiven>> {
  const judged = await callLedger(c, call.key, (ledger) => ledger.run(call));
  if (!judged.ok) return refused(judged.refusal);
  const { partner, hasBought, reason } = judged.answer;
  const partnerCode = partner?.code ?? null;
  const without = (why: string) => ok({ offer: null, partnerCode, reason: why });
  if (hasBought) return without("has_bought");
  if (partner === undefined || reason !== undefined) return without(reason ?? "customer_not_found");
  const { programId } = call.key;
  const of = { programId, partnerId: partner.id, at: call.at };
  const found = await readFromDatabase(c, "program", (database) => readOne(database, offerOfPartner(of)));
  if (!found.ok) return found;
  const { value: offer } = found;
  if (offer === undefined) return without("no_offer");
  return isOfferOver(offer, call.at) ? without("offer_over") : ok({ offer, partnerCode, reason: null });
}
