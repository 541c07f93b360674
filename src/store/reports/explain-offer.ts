import { sql } from "drizzle-orm";
import type { OfferVersion } from "#domain/offers.ts";
import { versionsOfSale } from "../offers.ts";
import { readAll } from "../statement.ts";
import { byKey, chainOf } from "./explain-chain.ts";
import type { ExplainQuery } from "./explain-events.ts";

/** The versions of the offer that were in force for the partner of the sale. Empty if the sale has no coupon. */
export const offersOf = byKey((by) =>
  readAll<ExplainQuery, OfferVersion>((db) =>
    versionsOfSale(
      db,
      sql`(select s.program_id, s.occurred_at, s.id from sales s
        where s.id = ${chainOf(by).onlySaleId} and s.coupons is not null) s
        join commissions c on c.sale_id = s.id and c.partner_id is not null`,
    ),
  ),
);
