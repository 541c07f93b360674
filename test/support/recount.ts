import { expect } from "vitest";
import type { World } from "./world.ts";

/** What each column of `daily_counts` counts, told from the events alone. */
const recounted = `
  select is_test, day, partner, currency, counted, sum(n) as n from (
    select is_test, day, coalesce(partner_id, 0) as partner, '' as currency,
      iif(is_bot or is_prefetch, 'uncounted_clicks', 'clicks') as counted, count(*) as n
    from clicks where program_id = :program group by 1, 2, 3, 5
    union all
    select is_test, day, coalesce(partner_id, 0), '', 'unique_clicks', count(distinct visitor) + sum(visitor is null)
    from clicks where program_id = :program and not (is_bot or is_prefetch) group by 1, 2, 3
    union all
    select is_test, day, coalesce(partner_id, 0), '', iif(partner_id is null, 'unattributed_leads', 'leads'), count(*)
    from leads where program_id = :program group by 1, 2, 3
    union all
    select is_test, day, coalesce(partner_id, 0), currency, iif(partner_id is null, 'organic_sales', 'sales'), count(*)
    from sales where program_id = :program group by 1, 2, 3, 4
    union all
    select is_test, day, coalesce(partner_id, 0), currency,
      iif(partner_id is null, 'organic_revenue_cents', 'revenue_cents'), sum(amount_cents)
    from sales where program_id = :program group by 1, 2, 3, 4
    union all
    select is_test, day, coalesce(partner_id, 0), currency,
      iif(partner_id is null, 'organic_refunds', 'refunds'), count(*)
    from refunds where program_id = :program group by 1, 2, 3, 4
    union all
    select is_test, day, partner_id, currency, 'refunded_cents', sum(refunded_cents)
    from refunds where program_id = :program and partner_id is not null group by 1, 2, 3, 4
    union all
    select is_test, day, partner_id, currency, 'commission_cents', sum(amount_cents)
    from ledger_entries where program_id = :program and kind <> 'paid' group by 1, 2, 3, 4
  ) group by 1, 2, 3, 4, 5`;

const columns = [
  "clicks",
  "unique_clicks",
  "uncounted_clicks",
  "leads",
  "unattributed_leads",
  "sales",
  "revenue_cents",
  "organic_sales",
  "organic_revenue_cents",
  "refunds",
  "refunded_cents",
  "organic_refunds",
  "commission_cents",
] as const;

const kept = columns
  .map(
    (column) =>
      `select is_test, day, partner_id as partner, currency, '${column}' as counted, ${column} as n
       from daily_counts where program_id = :program`,
  )
  .join(" union all ");

const unbalanced = {
  "commissions that are not the sum of their entries but what was paid": `
    select c.id, c.amount_cents, sum(e.amount_cents) as entries from commissions c
    left join ledger_entries e on e.commission_id = c.id and e.kind <> 'paid'
    where c.program_id = :program group by c.id having c.amount_cents <> coalesce(sum(e.amount_cents), 0)`,
  "commissions of another partner or book than their sale": `
    select c.id from commissions c join sales s on s.id = c.sale_id
    where c.program_id = :program
      and (c.partner_id is not s.partner_id or c.is_test <> s.is_test or c.program_id <> s.program_id)`,
  "sales without exactly one commission": `
    select s.id from sales s left join commissions c on c.sale_id = s.id
    where s.program_id = :program group by s.id having count(c.id) <> 1`,
  "sales whose refunds come to something else": `
    select s.id from sales s left join refunds r on r.sale_id = s.id
    where s.program_id = :program group by s.id having s.refunded_cents <> coalesce(sum(r.refunded_cents), 0)`,
  "leads of another partner or book than their customer": `
    select l.id from leads l join customers c on c.id = l.customer_id
    where l.program_id = :program
      and (l.partner_id is not c.partner_id or l.is_test <> c.is_test or l.program_id <> c.program_id)`,
};

/** Every count and every sum that is kept is what the events themselves come to. */
export async function expectBooksToBalance({ programId, rows }: World): Promise<void> {
  const ask = (sql: string) => rows(sql.replaceAll(":program", String(programId)));
  const counts = async (sql: string) =>
    (await ask(sql))
      .filter(({ n }) => n !== 0)
      .map(({ is_test, day, partner, currency, counted, n }) =>
        [is_test === 1 ? "test" : "live", day, partner, currency, counted, n].join(" "),
      )
      .sort();
  expect(await counts(kept), "daily_counts").toEqual(await counts(recounted));
  for (const [what, sql] of Object.entries(unbalanced)) expect(await ask(sql), what).toEqual([]);
}
