import type { DirectSource } from "#domain/attribution.ts";
import type { SentStatement } from "../../harness/database-client.ts";
import type { Partner, World } from "../../harness/world.ts";
import { daysAgo } from "./program-fixture.ts";

export type FinalSource = Exclude<DirectSource, "coupon">;

export interface DirectAttribution {
  readonly source: FinalSource;
  readonly partner: Partner;
  readonly since: number;
  /** The time at which the attribution was made. The default is four days ago. */
  readonly boundAt?: number;
  readonly firstSaleAt?: number | undefined;
  readonly subscriptionId?: string | undefined;
}

const actionOf = { import: "customer.imported", person: "customer.assigned" } as const;

/**
 * Writes an attribution that isn't based on a click directly to the database, as if it had been made at `boundAt`. The
 * customer must be known. Replaces an unconfirmed attribution.
 */
export const attributeDirectly = (
  world: World,
  customerKey: string,
  { source, partner, since, boundAt = daysAgo(4), firstSaleAt, subscriptionId }: DirectAttribution,
): Promise<void> =>
  world.write(entryOf(world, customerKey, { source, partner, since, boundAt, firstSaleAt, subscriptionId }), {
    sql: `update customers set partner_id = ?, source = ?, link_id = ?, since = ?, bound_at = ?, confirmed_at = ?, reason = null,
        click_id = null, click_at = null, evidence = null, model = null, window_days = null, window_until = null,
        click_age_days = null, bound_by = null, first_attributed_sale_at = iif(partner_id is ?, first_attributed_sale_at, null),
        one_time_commission_id = iif(partner_id is ?, one_time_commission_id, null),
        imported_first_sale_at = ?, imported_subscription_id = ?
      where program_id = ? and is_test = 0 and customer_key = ?`,
    args: [
      ...[partner.id, source, partner.linkId, since, boundAt],
      ...[boundAt, partner.id, partner.id, firstSaleAt ?? null, subscriptionId ?? null],
      ...[world.programId, customerKey],
    ],
  });

let entries = 0;

/**
 * Returns the attribution's entry in the audit trail. An assignment isn't part of an import, so it needs no import
 * call.
 */
function entryOf(
  world: World,
  customerKey: string,
  made: DirectAttribution & { readonly boundAt: number },
): SentStatement {
  const { source, partner, since, boundAt, firstSaleAt, subscriptionId } = made;
  entries += 1;
  const operationId = `${process.pid}-${entries}-${boundAt}`;
  return {
    sql: `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, after, created_at)
      select -1 - (select count(*) from audit_entries) - u.id * 1000, u.program_id, ?, 'u', ?, 'customer ' || u.id,
        ?, ?
      from customers u where u.program_id = ? and u.is_test = 0 and u.customer_key = ?`,
    args: [
      ...[operationId, actionOf[source as keyof typeof actionOf]],
      ...[JSON.stringify({ partnerId: partner.id, since, firstSaleAt, subscriptionId }), boundAt],
      ...[world.programId, customerKey],
    ],
  };
}
