import { dayIn } from "#domain/calendar.ts";
import type { EmbedToken } from "#domain/embed.ts";
import { isOfferOver, type OfferTerms } from "#domain/offers.ts";
import { countDays, type Days, daysEnding } from "#domain/performance.ts";
import { programStatus } from "#domain/program-status.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import type { ProgramRow } from "#store/programs.ts";
import { readEmbedOverview, readNewcomerOverview } from "#store/reports/embed-overview.ts";
import { OverviewReply, overviewReply } from "./own-overview.ts";
import { readFromDatabase } from "./read-database.ts";
import { unitsOf } from "./units.ts";

/** The program, and the user of the integrator's product to whom the token was issued. */
export interface Embedded {
  readonly program: ProgramRow;
  /** Undefined until the user creates their first link. */
  readonly partner: OwnPartner | undefined;
  readonly token: EmbedToken;
}

const Offer = z.object({ label: z.string(), details: z.string().nullable() }).openapi("EmbedOffer");

export const EmbedOverview = z
  .object({
    data: OverviewReply.shape.data.extend({
      status: z
        .enum(["none", "active", "paused"])
        .describe("`none`: the user isn't a partner until they create a link. `paused`: no clicks are recorded."),
      offer: Offer.nullable().describe("Offer for customers who come through the user's link."),
      terms: OverviewReply.shape.data.shape.commission,
    }),
    meta: OverviewReply.shape.meta,
  })
  .openapi("EmbedOverview");

const shownDays = 7;

const statusOf = ({ program, partner }: Embedded): z.output<typeof EmbedOverview>["data"]["status"] => {
  if (programStatus(program) !== "active") return "paused";
  if (partner === undefined) return "none";
  return partner.isActive ? "active" : "paused";
};

/** Null if customers can't get the offer now, because it has ended, or the partner or the program is paused. */
const offerReply = (of: Embedded, offer: OfferTerms | undefined, at: number): z.output<typeof Offer> | null =>
  offer === undefined || isOfferOver(offer, at) || statusOf(of) === "paused"
    ? null
    : { label: offer.label, details: offer.details };

const periodOf = (days: Days) => (countDays(days) === shownDays ? "7d" : "custom");

export async function readOverviewOf(
  c: Ctx,
  of: Embedded,
  asked: string | undefined,
): Promise<Result<z.output<typeof EmbedOverview>>> {
  const { program, partner, token } = of;
  const { id: programId, timezone } = program;
  const currency = asked ?? program.currency;
  const known = await unitsOf(c, programId, asked);
  if (!known.ok) return known;
  const { at } = c.get("call");
  const today = dayIn(timezone, at);
  const days = daysEnding(today, shownDays);
  const read = await readFromDatabase(c, "program", (database) =>
    partner === undefined
      ? readNewcomerOverview(database, { programId, groupId: token.groupId, days, at })
      : readEmbedOverview(database, { programId, partnerId: partner.partnerId, currency, days, at }),
  );
  if (!read.ok) return read;
  const { found, offer, days: covered } = read.value;
  const shown = { period: periodOf(covered), days: covered, currency, today, at } as const;
  const { data, meta } = overviewReply({ ...program, seesRevenue: program.partnersSeeRevenue }, shown, found);
  return ok({
    data: { ...data, status: statusOf(of), offer: offerReply(of, offer, at), terms: data.commission },
    meta,
  });
}
