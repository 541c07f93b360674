import { field, type Invariants, type Scope } from "./invariant.ts";
import { periodIn } from "./tiers.ts";

// Computes counts and periods independently of the domain and the triggers, because the audit checks those.

const year = (month: string) => `substr(${month}, 1, 4)`;

/** The period of bonus `b` that contains the month. */
const periodOf = (month: string) => periodIn("b.period", month);

/** The last month of a period of bonus `b`. */
const lastMonthOf = (period: string) => `case b.period when 'month' then ${period} when 'year' then ${period} || '-12'
  else printf('%s-%02d', ${year(period)}, substr(${period}, 7) * 3) end`;

const amountOf = (sale: string) =>
  `iif(b.metric = 'sales', 1, iif(${sale}.currency = b.sales_currency, ${sale}.amount_cents, 0))`;

/** The sales since the start of the service's counts whose commissions are approved and above 0. */
const approved = (of: Scope) => `(
  select s.program_id, s.is_test, c.partner_id, substr(s.day, 1, 7) as month, s.currency, s.amount_cents
  from commissions c
  cross join sales s on s.id = c.sale_id
  cross join tier_books k on k.program_id = s.program_id and k.is_test = s.is_test and s.occurred_at >= k.counted_from
  where ${of("c")} and c.status = 'approved' and c.amount_cents > 0)`;

/** True if the audit entry of adjustment `a` says that it was an award of bonus `b`. */
const isAward = `exists (
  select 1 from audit_entries t where t.program_id = a.program_id and t.subject = 'partner ' || a.partner_id
    and t.action = 'adjustment.created' and ${field("t.after", "adjustmentId")} = a.id
    and t.operation_id like '%.' || b.id || '.' || a.partner_id)`;

/**
 * Awards with their bonus and period. Before a program has its first bonus, an adjustment that isn't an award may have
 * the reference of one.
 */
const awards = (of: Scope) => `(
  select a.*, b.id as bonus_id, b.period, b.metric, b.threshold, b.sales_currency, b.from_period, b.until_period,
    b.amount_cents as bonus_cents, b.currency as bonus_currency, b.created_at as bonus_created_at, e.id as number,
    substr(a.reference, length('bonus:' || b.id || ':') + 1) as awarded_period
  from adjustments a
  left join ledger_entries e on e.adjustment_id = a.id
  left join bonuses b on b.program_id = a.program_id and b.id = cast(substr(a.reference, 7) as integer)
    and a.reference like 'bonus:' || b.id || ':%'
  where ${of("a")} and substr(a.reference, 1, 6) = 'bonus:' and (a.created_at >= (
    select min(f.created_at) from bonuses f where f.program_id = a.program_id) or ${isAward}))`;

/** A day before the period of an award ends in UTC (ms), because it ends earlier in some time zones. */
const endOf = (period: string) => `(unixepoch(${lastMonthOf(period)} || '-01', '+1 month') - 86400) * 1000`;

const terms: Readonly<Record<string, string>> = {
  metric: "metric",
  period: "period",
  threshold: "threshold",
  salesCurrency: "sales_currency",
  amountCents: "amount_cents",
  currency: "currency",
  fromPeriod: "from_period",
};

const isUnlikeTrail = Object.entries(terms)
  .map(([name, column]) => `${field("a.after", name)} is not b.${column}`)
  .join(" or ");

export const bonusInvariants: Invariants = {
  "counts of approved sales that don't match the commissions": (of) => `
    select program_id as program, is_test, partner_id as partner, month, currency, sum(sales) as sales,
      sum(of_sales) as counted_sales, sum(cents) as revenue, sum(of_cents) as counted_revenue
    from (
      select n.program_id, n.is_test, n.partner_id, n.month, n.currency, n.approved_sales as sales, 0 as of_sales,
        n.approved_revenue_cents as cents, 0 as of_cents
      from tier_counts n where ${of("n")}
      union all
      select d.program_id, d.is_test, d.partner_id, d.month, d.currency, 0, 1, 0, d.amount_cents from ${approved(of)} d
    ) group by program_id, is_test, partner_id, month, currency
    having sum(sales) <> sum(of_sales) or sum(cents) <> sum(of_cents)`,
  "due bonuses that don't match the approved sales": (of) => `
    select program_id as program, bonus_id as bonus, partner_id as partner, last_month, sum(due) as due, sum(is_reached) as reached
    from (
      select d.program_id, d.bonus_id, d.partner_id, d.last_month, 1 as due, 0 as is_reached from due_bonuses d where ${of("d")}
      union all
      select b.program_id, b.id, s.partner_id, ${lastMonthOf(periodOf("s.month"))} as last_month, 0, 1
      from ${approved(of)} s
      cross join bonuses b on b.program_id = s.program_id and not s.is_test and b.dismissed_at is null
        and ${periodOf("s.month")} between b.from_period and coalesce(b.until_period, '9999-Q4')
      cross join partners p on p.id = s.partner_id and p.erasure_id is null and not p.is_synthetic
      where not exists (
        select 1 from adjustments a where a.program_id = b.program_id and a.partner_id = s.partner_id
          and a.reference = 'bonus:' || b.id || ':' || ${periodOf("s.month")} and a.created_at >= b.created_at)
      group by b.id, s.partner_id, last_month having sum(${amountOf("s")}) >= b.threshold
    ) x
    -- The service compares counts again soon after they have changed.
    where not exists (select 1 from tier_counts n where n.program_id = x.program_id and n.is_test = 0
        and n.partner_id = x.partner_id and n.is_due)
      and not exists (select 1 from tier_books k where k.program_id = x.program_id and k.is_test = 0
        and (k.counted_from > k.count_from or k.scanned_to is not null))
    group by program_id, bonus_id, partner_id, last_month having sum(due) <> sum(is_reached)`,
  "awarded bonuses without exactly their adjustment": (of) => `
    select b.id as adjustment, b.reference, b.partner_id as partner, b.amount_cents, b.bonus_cents from ${awards(of)} b
    where b.bonus_id is null or b.amount_cents <> b.bonus_cents or b.currency <> b.bonus_currency
      or ${lastMonthOf("b.awarded_period")} not glob '[0-9][0-9][0-9][0-9]-[01][0-9]'
      or b.awarded_period < b.from_period or coalesce(b.awarded_period > b.until_period, 0)
      or b.created_at < ${endOf("b.awarded_period")} or b.created_at < b.bonus_created_at`,
  "bonuses awarded for sales that the partner didn't have": (of) => `
    select b.id as adjustment, b.reference, b.partner_id as partner, b.threshold, coalesce(sum(iif(x.sale_id is null, 0, ${amountOf("x")})), 0) as counted
    from ${awards(of)} b
    left join (
      select y.*, s.currency, s.amount_cents, k.kind, ${periodIn("k.kind", "s.day")} as period
      from (
        select e.program_id, e.partner_id, c.sale_id, e.id as number,
          sum(e.amount_cents) over (partition by e.commission_id, e.partner_id order by e.id) as later,
          lead(e.id, 1, 9007199254740991) over (partition by e.commission_id, e.partner_id order by e.id) as next
        from ledger_entries e cross join commissions c on c.id = e.commission_id
        where ${of("e")} and not e.is_test and exists (select 1 from bonuses f where f.program_id = e.program_id)
      ) y cross join sales s on s.id = y.sale_id
      cross join (select 'month' as kind union all select 'quarter' union all select 'year') k
      where y.later > 0
    ) x on x.partner_id = b.partner_id and x.kind = b.period and x.period = b.awarded_period
      and x.number < b.number and x.next > b.number
    where b.bonus_id is not null
    group by b.id having counted < b.threshold`,
  "bonuses that differ from the audit trail": (of) => `
    select b.id as bonus, a.id as audit_entry, z.id as ended from bonuses b
    left join audit_entries a on a.program_id = b.program_id and a.action = 'bonus.created' and a.subject = 'bonus ' || b.id
    left join audit_entries z on z.program_id = b.program_id and z.action = 'bonus.ended' and z.subject = 'bonus ' || b.id
    left join audit_entries d on d.program_id = b.program_id and d.action = 'bonus.dismissed' and d.subject = 'bonus ' || b.id
    where ${of("b")} and (a.id is null or a.created_at <> b.created_at or ${isUnlikeTrail}
      or ${field("z.after", "untilPeriod")} is not b.until_period or ${field("d.after", "dismissedAt")} is not b.dismissed_at)`,
};
