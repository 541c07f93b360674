import { field, type Invariants, type Scope } from "./invariant.ts";

// Computes counts, periods and steps independently of src/domain/tiers.ts and the triggers, because the audit checks
// those.

/** The entries that raise the remaining commission of a sale above 0 for a partner, or lower it to 0. */
const changed = (of: Scope) => `(
  select e.program_id, e.is_test, e.partner_id, e.id as number, s.day, s.currency,
    iif(e.later > 0, 1, -1) as sales, iif(e.later > 0, s.amount_cents, -s.amount_cents) as cents
  from (
    select e.id, e.program_id, e.is_test, e.partner_id, e.commission_id, e.amount_cents,
      sum(e.amount_cents) over (partition by e.commission_id, e.partner_id order by e.id) as later
    from ledger_entries e
    where ${of("e")} and e.commission_id is not null
      and exists (select 1 from tier_books b where b.program_id = e.program_id and b.is_test = e.is_test)
  ) e
  cross join commissions c on c.id = e.commission_id
  cross join sales s on s.id = c.sale_id
  cross join tier_books b on b.program_id = e.program_id and b.is_test = e.is_test
  where s.occurred_at >= b.counted_from and (e.later > 0) <> (e.later > e.amount_cents))`;

const quarterOf = (day: string) => `substr(${day}, 1, 4) || '-Q' || ((substr(${day}, 6, 2) + 2) / 3)`;

/** The period of this kind that contains a day or a month. */
export const periodIn = (kind: string, day: string) => `case ${kind}
  when 'month' then substr(${day}, 1, 7) when 'year' then substr(${day}, 1, 4) else ${quarterOf(day)} end`;
const periodOf = (tiers: string, day: string) => periodIn(field(tiers, "period"), day);

/** All combinations of a period and a metric. */
const kinds = `(select 'month' as period, 0 as is_revenue union all select 'quarter', 0 union all select 'year', 0
  union all select 'month', 1 union all select 'quarter', 1 union all select 'year', 1)`;

const place = "program_id, is_test, partner_id";

const dueThreshold = `coalesce((
  select max(t.value ->> 'threshold') from json_each(p.tiers, '$.steps') t
  where x.counted >= (t.value ->> 'threshold') - (x.metric = 'sales')), 0)`;

const earnedNumber = `(
  select max(e.id) from ledger_entries e
  where e.commission_id = c.id and e.partner_id = c.partner_id
    and (e.kind = 'earned' or (e.kind = 'moved' and e.amount_cents > 0)))`;

/**
 * The number of the last entry of a move. A move adds one entry that subtracts the former partner's amount and one that
 * adds the new partner's amount, but none for an amount of 0, such as that of a fully refunded sale.
 */
const movedNumber = `(
  select max(e.id) from ledger_entries e where e.commission_id = c.id and e.kind = 'moved'
    and (${field("c.explanation", "movedFrom.amountCents")} > 0 or (e.partner_id = c.partner_id and e.amount_cents > 0)))`;

/**
 * The number of the entry by which commission `c` was decided for its partner. Null if there is no such entry, because
 * the amount was 0.
 */
const decidingNumber = `iif(${field("c.explanation", "movedFrom")} is null, ${earnedNumber}, ${movedNumber})`;

const tier = (name: string) => field("c.explanation", `tier.${name}`);

const isFrozen = `(${tier("threshold")} is null and coalesce(t.threshold, 0) = 0 or (
  ${tier("threshold")} is t.threshold and ${tier("count")} is t.count and ${tier("at")} is t.at
  and ${tier("metric")} is t.metric and ${tier("period")} is t.period and ${tier("currency")} is t.currency
  and exists (
    select 1 from json_each(p.tiers, '$.steps') o where o.value ->> 'threshold' = t.threshold
      and o.value ->> 'rateBps' is ${tier("rateBps")} and o.value ->> 'amountCents' is ${tier("amountCents")})))`;

/** True if sale `s` corrects the sale of commission `k` for the same partner, policy version and period. */
const isSamePlace = `coalesce(k.policy_id = c.policy_id and k.partner_id = c.partner_id and k.status <> 'void'
  and ${field("c.explanation", "movedFrom")} is null and ${periodOf("p.tiers", "o.day")} = ${periodOf("p.tiers", "s.day")}, 0)`;

/** True if the correction earned a commission. A correction without a partner earns one once it gets a partner. */
const earnedAtOnce = `exists (select 1 from audit_entries a where a.operation_id = s.operation_id
  and a.action = 'sale.corrected' and ${field("a.after", "commissionCents")} > 0)`;

/** True if the correction may have earned 0: at a rate of 0, or because the replaced sale's refunds apply to it. */
const mayHaveEarnedZero = "(c.initial_cents = 0 or exists (select 1 from refunds r where r.sale_id = s.id))";

const hasOtherStep = `${field("c.explanation", "tier")} is not ${field("k.explanation", "tier")}`;

/** The first month of period `x.period`. */
const firstMonth = `case length(x.period) when 4 then x.period || '-01' when 7 then iif(substr(x.period, 6, 1) = 'Q',
  printf('%s-%02d', substr(x.period, 1, 4), substr(x.period, 7) * 3 - 2), x.period) end`;

/** The first month whose counts are compared with the thresholds of policy `p`. */
const comparedFrom = `strftime(iif(${field("p.tiers", "period")} = 'month', '%Y-%m', '%Y-01'),
  p.effective_from / 1000 - 86400, 'unixepoch')`;

/** The stored counts of each period, in the program's currency. `is_due` is true if they aren't compared yet. */
const countedPeriods = (of: Scope) => `(
  select n.program_id, n.is_test, n.partner_id, k.period as kind, iif(k.is_revenue, 'revenue', 'sales') as metric,
    ${periodIn("k.period", "n.month")} as period,
    sum(iif(k.is_revenue, iif(n.currency = g.currency, n.revenue_cents, 0), n.sales)) as counted, max(n.is_due) as is_due
  from tier_counts n join programs g on g.id = n.program_id cross join ${kinds} k
  where ${of("n")} group by 1, 2, 3, 4, 5, 6)`;

/** The time from which sales are counted for a policy or a bonus that begins at `at`. */
const countFrom = (at: string) =>
  `unixepoch(${at} / 1000 - 400 * 86400, 'unixepoch', 'start of year') * 1000 - 86400000`;

export const tierInvariants: Invariants = {
  "counts of sales for tiers that don't match the entries": (of) => `
    select program_id as program, is_test, partner_id as partner, month, currency, sum(sales) as sales,
      sum(of_sales) as counted_sales, sum(cents) as revenue, sum(of_cents) as counted_revenue
    from (
      select n.program_id, n.is_test, n.partner_id, n.month, n.currency, n.sales, 0 as of_sales, n.revenue_cents as cents, 0 as of_cents
      from tier_counts n where ${of("n")}
      union all
      select d.program_id, d.is_test, d.partner_id, substr(d.day, 1, 7), d.currency, 0, d.sales, 0, d.cents from ${changed(of)} d
    ) group by ${place}, month, currency having sum(sales) <> sum(of_sales) or sum(cents) <> sum(of_cents)`,
  "steps that don't match the entries before them": (of) => `
    select x.program_id as program, x.partner_id as partner, x.policy_id as policy, x.period, x.number, x.threshold,
      x.count, x.counted
    from (
      select *, sum(amount) over (partition by ${place}, period, currency order by number, is_step) as counted
      from (
        select d.program_id, d.is_test, d.partner_id, d.number, 0 as is_step,
          case k.period when 'month' then substr(d.day, 1, 7) when 'year' then substr(d.day, 1, 4) else ${quarterOf("d.day")} end as period,
          iif(k.is_revenue, d.currency, null) as currency, iif(k.is_revenue, d.cents, d.sales) as amount,
          null as policy_id, null as metric, null as threshold, null as count
        from ${changed(of)} d cross join ${kinds} k
        union all
        select t.program_id, t.is_test, t.partner_id, t.number, 1, t.period, t.currency, 0, t.policy_id, t.metric, t.threshold, t.count
        from tier_steps t where ${of("t")}
      )
    ) x left join commission_policies p on p.id = x.policy_id
    where x.is_step and (p.tiers is null or p.program_id <> x.program_id or x.count <> x.counted
      or x.metric is not ${field("p.tiers", "metric")} or x.threshold <> ${dueThreshold} or x.threshold = coalesce((
        select t.threshold from tier_steps t where t.policy_id = x.policy_id and t.partner_id = x.partner_id
          and t.is_test = x.is_test and t.period = x.period and t.number < x.number order by t.number desc limit 1), 0))`,
  // A partner may have joined a group after the counts were compared, so policies of groups are excluded.
  // The index of current policies leaves out those of type `none`, which have no tiers.
  "partners without the step that their counts reach": (of) => `
    select x.program_id as program, x.partner_id as partner, p.id as policy, x.period, x.counted
    from ${countedPeriods(of)} x
    cross join tier_books b on b.program_id = x.program_id and b.is_test = x.is_test
    cross join (select 0 as is_own union all select 1) o
    cross join commission_policies p on p.program_id = x.program_id and p.partner_id is iif(o.is_own, x.partner_id, null)
      and p.group_id is null
    where not x.is_due and b.counted_from <= b.count_from and b.scanned_to is null and p.is_latest and p.type <> 'none'
      and ${field("p.tiers", "period")} = x.kind and ${field("p.tiers", "metric")} = x.metric
      and ${firstMonth} >= ${comparedFrom} and ${dueThreshold} <> coalesce((
        select t.threshold from tier_steps t where t.policy_id = p.id and t.partner_id = x.partner_id
          and t.is_test = x.is_test and t.period = x.period order by t.number desc limit 1), 0)`,
  "programs whose sales are counted from another time than their first policy with tiers or their first bonus says": (
    of,
  ) => `
    select x.program_id as program, x.is_test, b.count_from, x.count_from as expected from (
      select p.program_id, t.is_test, min(p.version), ${countFrom("p.effective_from")} as count_from
      from commission_policies p cross join (select 0 as is_test union all select 1) t
      where ${of("p")} and p.tiers is not null group by p.program_id, t.is_test
      union all
      select n.program_id, 0, min(n.id), ${countFrom("n.created_at")} from bonuses n where ${of("n")} group by n.program_id
    ) x left join tier_books b on b.program_id = x.program_id and b.is_test = x.is_test
    group by x.program_id, x.is_test
    having max(coalesce(b.count_from = x.count_from, 0)) = 0 or max(b.counted_from < b.count_from)
    union all
    select b.program_id, b.is_test, b.count_from, null from tier_books b
    where ${of("b")} and b.program_id not in (select p.program_id from commission_policies p where p.tiers is not null)
      and (b.is_test or b.program_id not in (select n.program_id from bonuses n))`,
  "sales that were decided by another step than their partner had": (of) => `
    select c.id as commission, s.id as sale, c.partner_id as partner, p.id as policy, t.number as step
    from commissions c
    join commission_policies p on p.id = c.policy_id
    join sales s on s.id = c.sale_id
    left join sales o on o.id = iif(s.correction = 1, s.corrected_sale_id, (
      select v.id from sales v where v.corrected_sale_id = s.corrected_sale_id and v.correction = s.correction - 1))
    left join commissions k on k.sale_id = o.id
    left join tier_steps t on t.policy_id = p.id and t.partner_id = c.partner_id and t.is_test = c.is_test
      and t.period = ${periodOf("p.tiers", "s.day")} and t.number = (
        select max(n.number) from tier_steps n
        where n.policy_id = p.id and n.partner_id = c.partner_id and n.is_test = c.is_test
          and n.period = ${periodOf("p.tiers", "s.day")} and n.number < ${decidingNumber})
    where ${of("c")} and p.tiers is not null and c.status <> 'void' and case
      when ${isSamePlace} and ${earnedAtOnce} then ${hasOtherStep}
      when ${isSamePlace} and ${mayHaveEarnedZero} then ${hasOtherStep} and not ${isFrozen}
      else ${decidingNumber} is not null and not ${isFrozen} end
    union all
    select c.id, c.sale_id, c.partner_id, c.policy_id, null from commissions c join commission_policies p on p.id = c.policy_id
    where ${of("c")} and p.tiers is null and ${field("c.explanation", "tier")} is not null`,
};
