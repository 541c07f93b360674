import type { Invariants } from "./invariant.ts";

const ofPartners = ["clicks", "customers", "leads", "sales", "refunds", "commissions", "referral_links"] as const;

const ofPrograms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...ofPartners, "ledger_entries", "partners", "commission_policies", "program_keys", "audit_entries"].map(
      (table) => [table, "t.id"],
    ),
  ),
  daily_counts: "t.day",
  removed_clicks: "t.day",
  unknown_codes: "t.day",
  click_event_ids: "t.event_id",
  offers: "t.version",
  offer_coupons: "t.code",
  units: "t.code",
  ...Object.fromEntries(["embeds", "reconciliations", "tier_books"].map((table) => [table, "t.program_id"])),
};

/** The columns that a correction copies unchanged. A correction changes only the amount, the customer or the time. */
const keptByCorrection = [
  "sale_type",
  "subscription_interval",
  "is_recurring",
  "product_id",
  "event_name",
  "line_items",
];

export const bookInvariants: Invariants = {
  "rows of a program that doesn't exist": (of) =>
    Object.entries(ofPrograms)
      .map(
        ([table, id]) => `
        select '${table}' as in_table, ${id} as id, t.program_id as program from ${table} t
        where ${of("t")} and t.program_id not in (select id from programs)`,
      )
      .join(" union all "),
  "rows of another program's partner": (of) =>
    [...ofPartners, "commission_policies"]
      .map(
        (table) => `
        select '${table}' as in_table, t.id, t.partner_id as partner from ${table} t
        left join partners p on p.id = t.partner_id
        where ${of("t")} and t.partner_id is not null and p.program_id is not t.program_id`,
      )
      .join(" union all "),
  "live rows of the partner created for verification": (of) =>
    ["clicks", "customers", "leads", "sales"]
      .map(
        (table) => `
        select '${table}' as in_table, t.id, t.partner_id as partner from ${table} t join partners p on p.id = t.partner_id
        where ${of("t")} and not t.is_test and p.is_synthetic`,
      )
      .join(" union all "),
  "clicks of another partner or program than their link's": (of) => `
    select c.id as click, c.link_id as link from clicks c left join referral_links k on k.id = c.link_id
    where ${of("c")} and c.link_id is not null
      and (k.program_id is not c.program_id or k.partner_id is not c.partner_id)`,
  "clicks sent to another program than their link's": (of) => `
    select u.id as customer, k.click_id as click from customers u join customer_clicks k on k.customer_id = u.id
    left join referral_links l on l.id = k.link_id
    where ${of("u")} and l.program_id is not u.program_id`,
  "customers' clicks that were recorded in the other book": (of) => `
    select u.id as customer, c.id as click from customers u join customer_clicks k on k.customer_id = u.id
    join clicks c on c.click_id = k.click_id
    where ${of("u")} and (c.program_id <> u.program_id or c.is_test <> u.is_test)`,
  "corrections that don't match the previous version of the sale, or the audit trail": (of) => `
    select s.id as sale, o.id as corrected, a.id as audit_entry from sales s
    left join sales f on f.id = s.corrected_sale_id
    left join sales o on o.id = iif(s.correction = 1, f.id, (
      select p.id from sales p where p.corrected_sale_id = s.corrected_sale_id and p.correction = s.correction - 1))
    left join audit_entries a on a.operation_id = s.operation_id and a.action = 'sale.corrected'
    where ${of("s")} and coalesce(s.corrected_sale_id, s.correction) is not null
      and (f.program_id is not s.program_id or f.is_test is not s.is_test or f.corrected_sale_id is not null
        or s.transaction_id is not f.transaction_id || '~' || s.correction
          and not (s.transaction_id glob 'erased_*' or f.transaction_id glob 'erased_*')
        or o.refunded_cents is not o.amount_cents
        or not (s.is_erased or o.is_erased) and (${keptByCorrection.map((name) => `s.${name} is not o.${name}`).join(" or ")})
        or a.program_id is not s.program_id or a.subject is not 'sale ' || o.id)
    union all
    select s.id, s.corrected_sale_id, null from refunds r join sales s on s.id = r.sale_id
    where ${of("r")} and s.correction is not null and substr(r.operation_id, 1, length(s.operation_id) + 1) = s.operation_id || ' '
      and r.refund_id is not null and r.refund_id not glob 'erased_*' and not exists (
        select 1 from sales o join refunds b on b.sale_id = o.id
        where (o.id = s.corrected_sale_id or o.corrected_sale_id = s.corrected_sale_id) and o.id <> s.id
          and b.refund_id = r.refund_id and b.asked = r.asked)
    union all
    select n.id, o.id, a.id from audit_entries a
    left join sales o on o.id = cast(substr(a.subject, 6) as integer)
    left join sales n on n.corrected_sale_id = coalesce(o.corrected_sale_id, o.id)
      and n.correction = coalesce(o.correction, 0) + 1
    where ${of("a")} and a.action = 'sale.corrected' and n.operation_id is not a.operation_id`,
  "commissions by another program's policy, or another partner's": (of) => `
    select c.id as commission, c.policy_id as policy from commissions c
    left join commission_policies p on p.id = c.policy_id
    where ${of("c")} and c.policy_id is not null
      and (p.program_id is not c.program_id or (p.partner_id is not null and p.partner_id is not c.partner_id))`,
};
