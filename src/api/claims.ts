import { claimStatuses } from "#domain/claim.ts";
import type { ProgramId } from "#domain/ids.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { id, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import { type ClaimView, readCandidates } from "#store/views/claims.ts";
import { NearbySale, nearbySaleReply, spanOfSearch } from "./nearby-sales.ts";
import { readFromDatabase } from "./read-database.ts";

const maxCandidates = 5;
/**
 * Maximum number of sales that are searched before the middle of the claim's day, and after it. It is small, because a
 * page has many claims.
 */
const searched = 100;

const claimFields = record(undefined, {
  id: id(),
  status: z.enum(claimStatuses).describe("`theirs`: a member found the sale, and credits it to the partner."),
  day: z.string().describe("Day of the purchase as reported, in the program's time zone."),
  amountCents: int64().nullable(),
  currency: z.string().nullable(),
  reference: z.string().nullable().describe("The partner's texts are deleted 90 days after the decision."),
  note: z.string().nullable(),
  partnerNote: z.string().nullable().describe("Your note to the partner."),
  saleId: id().nullable().describe("Sale that a member found."),
  transactionId: z.string().nullable(),
  payPast: z.boolean().describe("True if the sale itself earns commission. False if only later sales do."),
  createdAt: instant(),
  decidedAt: instantOrNull(),
});

export const Claim = claimFields.schema
  .extend({
    partner: z.object({ id: id(), name: z.string() }),
    candidates: z
      .array(NearbySale)
      .describe(
        `For an open claim: up to ${maxCandidates} live sales within 2 days of the reported day. The sale with the claim's reference as the transaction id of any version is first, then the closest sales in amount and time. Sales that a correction replaced are left out.`,
      ),
    hasMoreSales: z
      .boolean()
      .describe(
        `True if these days may have more sales than were searched. The search reads up to ${searched} sales before and ${searched} after the middle of these days. \`GET /partners/{partnerId}/missing-sale\` searches more.`,
      ),
  })
  .openapi("Claim");

interface Program {
  readonly id: ProgramId;
  readonly timezone: string;
}

/** Returns claims, each open one with the sales that it may be about. */
export async function claimReplies(
  c: Ctx,
  { id: programId, timezone }: Program,
  claims: readonly ClaimView[],
): Promise<Result<z.output<typeof Claim>[]>> {
  const open = claims.filter(({ status }) => status === "open");
  const around = open.map(({ id, day, amountCents, currency, reference }) => {
    const asked = { amountCents, currency, reference, searched, limit: maxCandidates };
    return [id, { ...spanOfSearch(timezone, day), ...asked }] as const;
  });
  const found = await readFromDatabase(c, "program", (database) =>
    readCandidates(database, programId, new Map(around)),
  );
  if (!found.ok) return found;
  return ok(
    claims.map((claim) => {
      const { id, partnerId, partnerName } = claim;
      const sales = found.value.get(id) ?? [];
      return {
        ...claimFields.reply(claim),
        partner: { id: partnerId, name: partnerName },
        candidates: sales.map((sale) => nearbySaleReply(sale, partnerId, timezone)),
        hasMoreSales: (sales[0]?.searched ?? 0) >= searched,
      };
    }),
  );
}
