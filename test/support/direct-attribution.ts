import type { DirectSource } from "#domain/attribution.ts";
import type { Partner, World } from "../../harness/world.ts";
import { daysAgo } from "./program-fixture.ts";

export interface DirectAttribution {
  readonly source: DirectSource;
  readonly partner: Partner;
  readonly since: number;
  /** Default: four days ago. */
  readonly boundAt?: number;
}

/** Writes an attribution that rests on no click, of a customer who is known, in place of an unconfirmed one. */
export const attributeDirectly = (
  world: World,
  customerKey: string,
  { source, partner, since, boundAt = daysAgo(4) }: DirectAttribution,
): Promise<void> =>
  world.write({
    sql: `update customers set partner_id = ?, source = ?, link_id = ?, since = ?, bound_at = ?, confirmed_at = ?, reason = null,
        click_id = null, click_at = null, evidence = null, model = null, window_days = null, window_until = null,
        click_age_days = null, bound_by = null, first_attributed_sale_at = null, one_time_commission_id = null
      where program_id = ? and is_test = 0 and customer_key = ?`,
    args: [
      ...[partner.id, source, partner.linkId, since, boundAt],
      ...[source === "coupon" ? null : boundAt, world.programId, customerKey],
    ],
  });
