import { dayIn } from "#domain/calendar.ts";
import { caps } from "#domain/caps.ts";
import {
  type ClaimedSale,
  claimableDays,
  claimDaysAround,
  claimStatuses,
  daysAround,
  maxClaimAgeDays,
  maxClaimNote,
  maxClaimsPerDay,
  maxReference,
} from "#domain/claim.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { isVisible } from "#domain/visible-text.ts";
import { runOperation } from "#http/call-ledger.ts";
import { claimRefsOfProgram, refsOfProgram } from "#http/commission-ref.ts";
import type { Ctx } from "#http/context.ts";
import { invalidField } from "#http/endpoint.ts";
import { cursorMessage, cursorOf, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { maxNearby, ownNearby } from "#store/reports/own-nearby.ts";
import { type ClaimView, claimOfProgram, listClaims } from "#store/views/claims.ts";
import { claimLimit } from "./account-limits.ts";
import { longText } from "./join.ts";
import { day } from "./period.ts";
import { readFromDatabase } from "./read-database.ts";

const noteRule = `note must be a string of 1 to ${maxClaimNote} characters, not blank, without control characters`;

export const NewClaim = z
  .object({
    day: day("day").describe(
      `Day of the purchase in the program's time zone: within the last ${maxClaimAgeDays} days.`,
    ),
    amountCents: fields
      .optional(fields.amountCents("amountCents"))
      .describe("Amount of the purchase in the currency's smallest unit."),
    currency: fields
      .optional(fields.currency("currency"))
      .describe("Currency of `amountCents`. Defaults to the program's."),
    reference: fields
      .optional(fields.nonBlank("reference", maxReference))
      .describe("Order number or another reference, if you know it."),
    note: fields
      .optional(longText("note", maxClaimNote, 1).refine(isVisible, noteRule))
      .describe("Anything that helps the program to find the sale."),
  })
  .refine(
    ...fields.rule(["currency"], "currency needs amountCents", ({ amountCents, currency }: Partial<ClaimedSale>) =>
      amountCents != null ? true : currency == null,
    ),
  )
  .openapi("NewClaim");

/**
 * A claim without the partner's own texts. Erasing a customer empties texts that contain the customer's key or address.
 * A partner who could read their texts again could guess a key, put it in a claim, and learn from the emptied text that
 * this customer exists.
 */
export const ownClaim = record("OwnClaim", {
  ref: z.string().describe("Reference of the claim, to quote in questions about it."),
  status: z
    .enum(claimStatuses)
    .describe(
      "`open`: the program hasn't decided yet. `theirs`: the program found the sale, and its customer is attributed to you.",
    ),
  paysSale: z
    .boolean()
    .nullable()
    .describe(
      "With `theirs`: true if this sale is credited to you, false if only the customer's later sales are. Otherwise null.",
    ),
  day: z.string(),
  amountCents: int64().nullable(),
  currency: z.string().nullable(),
  partnerNote: z.string().nullable().describe("The program's note. It is deleted 90 days after the decision."),
  createdAt: instant(),
  decidedAt: instantOrNull(),
});

export const OwnClaimReply = z.object({
  data: ownClaim.schema.extend({
    reference: z.string().nullable().describe("Your text as sent. Later responses don't include it."),
    note: z.string().nullable().describe("Your text as sent. Later responses don't include it."),
    own: z
      .array(z.string())
      .nullable()
      .describe(
        `References of your own commissions for sales within ${claimDaysAround} days of the reported day, whatever the amount: the newest ${maxNearby}. A sale that was recorded days later may be missing. Null if the page doesn't show commissions.`,
      ),
  }),
});

export const OwnClaimsReply = z.object({ data: z.array(ownClaim.schema), meta: PageMeta });
export const claimPageSize = 50;

export const openingText =
  "The program's team looks for the sale and decides. The reply lists your own commissions around the reported day, in case the " +
  `sale is among them. You can report ${maxClaimsPerDay} sales a day, and have ${caps.openClaimsOfPartner.max} open claims. ` +
  "If the same claim is already open, returns it with 200.";

const cursors = cursorOf("own-claims", { ref: z.string() });
export const claimCursor = () => cursors.parameter();

/** Adds the reference that the partner sees instead of the id. */
const replyWith =
  ({ refOf }: Pick<ReturnType<typeof claimRefsOfProgram>, "refOf">) =>
  (claim: ClaimView) =>
    ownClaim.reply({
      ...claim,
      ref: refOf(claim.id),
      paysSale: claim.status === "theirs" ? claim.isSaleTheirs : null,
    });

export type Position = { readonly ref: string } | undefined;

/** Reads a page of a partner's own claims, newest first. */
export async function readOwnClaims(
  c: Ctx,
  partner: Pick<OwnPartner, "programId" | "partnerId">,
  after: Position,
  size: number,
) {
  const { programId, partnerId } = partner;
  const refs = claimRefsOfProgram(c, programId);
  const before = after === undefined ? newest.id : refs.idOf(after.ref);
  if (before === undefined) return refused(invalidField("cursor", cursorMessage));
  const asked = { programId, partnerId, status: null, before, limit: size + 1 };
  const found = await readFromDatabase(c, "program", (database) => listClaims(database, asked));
  if (!found.ok) return found;
  const { page, next, meta } = cursors.pageOf(found.value, size, ({ id }) => ({ ref: refs.refOf(id) }));
  return ok({ page: page.map(replyWith(refs)), next, meta });
}

interface Claiming {
  readonly partner: OwnPartner;
  readonly actorId: string;
  readonly claimed: z.output<typeof NewClaim>;
  /** False if the page doesn't show the partner's commissions. */
  readonly showsCommissions: boolean;
}

interface Opened {
  readonly claim: z.output<typeof OwnClaimReply>["data"];
  readonly isNew: boolean;
}

/**
 * Opens a claim, or returns the same claim if it is open already. The reply depends only on what the partner sent and
 * on what their pages show, so it reveals nothing about sales of others.
 */
export async function openOwnClaim(
  c: Ctx,
  { partner, actorId, claimed, showsCommissions }: Claiming,
): Promise<Result<Opened>> {
  const { programId, partnerId, timezone, isActive } = partner;
  const { at } = c.get("call");
  if (!isActive) return refused({ code: "inactive" });
  const { from, to } = claimableDays(dayIn(timezone, at));
  if (claimed.day < from || claimed.day > to) return refused(invalidField("day", `day must be from ${from} to ${to}`));
  const currency = claimed.amountCents === null ? null : (claimed.currency ?? partner.currency);
  const mostToday = claimLimit(c);
  const by = { ...c.get("call"), programId, partnerId, actorId };
  const call = { ...by, ...claimed, kind: "open-claim", currency, mostToday } as const;
  const opened = await runOperation(c, call);
  if (!opened.ok) return refused(opened.refusal);
  const { claimId, isNew } = opened.answer;
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      claim: claimOfProgram({ programId, id: claimId }),
      near: ownNearby(partner, daysAround(claimed.day)),
    }),
  );
  if (!found.ok) return found;
  const { claim, near } = found.value;
  if (claim === undefined) return refused({ code: "internal" });
  const { refOf } = refsOfProgram(c, programId);
  const own = showsCommissions ? near.map(({ id }) => refOf(id)) : null;
  const { reference, note } = claimed;
  return ok({ claim: { ...replyWith(claimRefsOfProgram(c, programId))(claim), reference, note, own }, isNew });
}
