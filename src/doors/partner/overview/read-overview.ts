import { readFromDatabase } from "#api/read-database.ts";
import { dayIn } from "#domain/calendar.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type * as z from "#http/schema/zod.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { readPartnerOverview } from "#store/reports/partner-overview.ts";
import { daysShown, type PeriodQuery, rangeOf } from "../../member/reports/period.ts";
import { type OverviewReply, overviewReply } from "./overview-reply.ts";

interface Asked extends PeriodQuery {
  /** Undefined: the program's. */
  readonly currency?: string | undefined;
}

export async function readOverview(
  c: Ctx,
  partner: OwnPartner,
  query: Asked,
): Promise<Result<z.output<typeof OverviewReply>>> {
  const { programId, partnerId } = partner;
  const { currency = partner.currency } = query;
  const { at } = c.get("call");
  const today = dayIn(partner.timezone, at);
  const { period, days } = rangeOf(query, today);
  const read = await readFromDatabase(c, "program", (database) =>
    readPartnerOverview(database, { programId, partnerId, currency, days, at }),
  );
  if (!read.ok) return read;
  const shown = daysShown(days, read.value.days, today);
  return ok(overviewReply(partner, { period, days: shown, currency, today }, read.value));
}
