import { field, type Invariants } from "./invariant.ts";

const told = (name: string): string => field("a.after", name);

/** The action in the audit trail that attributes a customer to a partner, by the customer's source. */
const bindings = { import: "customer.imported", person: "customer.assigned" } as const;
const listOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");
const bindingActions = listOf(Object.values(bindings));
const allActions = listOf([...Object.values(bindings), "customer.updated"]);
const sourceOfAction = `case a.action ${Object.entries(bindings)
  .map(([source, action]) => `when '${action}' then '${source}'`)
  .join(" ")} end`;

/** First sales that customers had in a former program, from the audit trail. It records each of them once. */
export const toldFirstSales = `(
  select a.program_id, a.subject, a.created_at as told_at, a.action = 'customer.imported' as is_binding, ${told("firstSaleAt")} as first_sale_at
  from audit_entries a where a.action in (${allActions}) and ${told("firstSaleAt")} is not null)`;

/** A call may be decided after a call that was sent up to this much later. */
export const waitMs = 60_000;

/**
 * True if the decision in `explanation` already knew the audit entry `a`. An import that attributes a customer decides
 * the customer's earlier sales at the instant of its entry.
 */
export const isKnown = (explanation: string): string => {
  const decidedAt = field(explanation, "decidedAt");
  const isByImport = `${field(explanation, "direct.source")} is 'import'`;
  return `((a.is_binding and ${decidedAt} = a.told_at and ${isByImport}) or ${decidedAt} > a.told_at + ${waitMs})`;
};

/** True if an earlier version of the corrected sale earned the commission before the import of audit entry `a`. */
const hadPlaceBefore = `exists (select 1 from sales p join commissions k on k.sale_id = p.id
  where s.corrected_sale_id in (p.id, p.corrected_sale_id) and coalesce(p.correction, 0) < s.correction
    and k.partner_id = c.partner_id and k.status <> 'void'
    and coalesce(${field("k.explanation", "past.isOneTimeTaken")}, 0) = 0 and not ${isKnown("k.explanation")})`;

const customerId = "cast(substr(a.subject, 10) as integer)";
const ofCustomer = "a.program_id = u.program_id and a.subject = 'customer ' || u.id";

export const bindingInvariants: Invariants = {
  "customers with an imported or assigned partner that the audit trail doesn't have, or has differently": (of) => `
    select u.id as customer, u.source, a.id as audit_entry from customers u
    left join audit_entries a on ${ofCustomer} and a.action in (${bindingActions})
    where ${of("u")} and u.source in (${listOf(Object.keys(bindings))}) and (a.id is null or u.source <> ${sourceOfAction}
      or u.partner_id is not ${told("partnerId")} or u.since is not ${told("since")} or u.bound_at <> a.created_at)
    union all
    select u.id, u.source, a.id from audit_entries a
    left join customers u on u.id = ${customerId} and u.program_id = a.program_id
    where ${of("a")} and a.action in (${bindingActions}) and (u.id is null or u.is_test or u.source is not ${sourceOfAction})
    union all
    select ${customerId}, null, max(a.id) from audit_entries a
    where ${of("a")} and a.action in (${bindingActions}) group by a.program_id, a.subject having count(*) > 1`,
  "customers whose imported first sale or subscription differs from the audit trail": (of) => `
    select u.id as customer, u.imported_first_sale_at, u.imported_subscription_id from customers u left join (
      select a.program_id, a.subject, max(${told("firstSaleAt")}) as first_sale_at, count(${told("firstSaleAt")}) as first_sales,
        max(${told("subscriptionId")}) as subscription_id, count(${told("subscriptionId")}) as subscriptions
      from audit_entries a where ${of("a")} and a.action in (${allActions}) group by a.program_id, a.subject
    ) a on ${ofCustomer}
    where ${of("u")} and (u.imported_first_sale_at is not a.first_sale_at
      or u.imported_subscription_id is not a.subscription_id or a.first_sales > 1 or a.subscriptions > 1)`,
  "one-time commissions of customers whose first sale a former program paid": (of) => `
    select c.id as commission, s.customer_id as customer from commission_policies p
    join commissions c on c.policy_id = p.id join sales s on s.id = c.sale_id join customers u on u.id = s.customer_id
    where ${of("c")} and p.scope = 'one_time' and c.status in ('pending', 'approved') and c.partner_id = u.partner_id
      and coalesce(s.occurred_at >= u.since, 1) and exists (
      select 1 from ${toldFirstSales} a where a.program_id = c.program_id and a.subject = 'customer ' || s.customer_id
        and ${isKnown("c.explanation")} and not ${hadPlaceBefore})`,
};
