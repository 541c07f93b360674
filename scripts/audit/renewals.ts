import { field, type Invariants } from "./invariant.ts";

const renewal = (name: string): string => field("c.explanation", `renewal.${name}`);

const isPaymentBefore = `o.program_id = s.program_id and o.is_test = s.is_test and o.subscription_id = s.subscription_id
  and o.occurred_at <= s.occurred_at and o.id <> s.id`;

/**
 * True if sale `o` was decided before `s`. The ids of one shard rise with each decision, but a program may have been
 * migrated.
 */
const wasKnown = `o.id < s.id and o.created_at <= s.created_at and not exists (select 1 from sales n
  where n.corrected_sale_id = coalesce(o.corrected_sale_id, o.id) and n.correction > coalesce(o.correction, 0) and n.id < s.id)`;

export const renewalInvariants: Invariants = {
  "sales whose renewal state doesn't match their subscription": (of) => `
    select s.id as sale, ${renewal("saleId")} as earlier from commissions c join sales s on s.id = c.sale_id
    where ${of("c")} and ${field("c.explanation", "renewal")} is not null and (
      s.is_recurring <> (${renewal("saleId")} is not null or ${renewal("isImported")})
      or (${renewal("saleId")} is not null and not exists (
        select 1 from sales o where o.id = ${renewal("saleId")} and ${isPaymentBefore}))
      or (${renewal("saleId")} is null and exists (select 1 from sales o where ${isPaymentBefore} and ${wasKnown}))
      or (${renewal("isImported")} and not exists (
        select 1 from customers u where u.program_id = s.program_id and u.is_test = s.is_test
          and u.imported_subscription_id = s.subscription_id)))`,
};
