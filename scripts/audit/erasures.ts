import { getTableColumns } from "drizzle-orm";
import { clockToleranceMs } from "#domain/calendar.ts";
import { erasedClickHeads } from "#domain/erasure.ts";
import { applications } from "#store/schema/applications.ts";
import { claims } from "#store/schema/claims.ts";
import { leads } from "#store/schema/leads.ts";
import { partners } from "#store/schema/partners.ts";
import { paymentDetails } from "#store/schema/payment-details.ts";
import { payoutLines } from "#store/schema/payouts.ts";
import { personal } from "#store/schema/personal.ts";
import { sales } from "#store/schema/sales.ts";
import { field, type Invariants, type Scope } from "./invariant.ts";

const isPseudonym = (column: string): string => `${column} glob 'erased_*'`;

const [firstHead, lastHead] = erasedClickHeads;
const isRawClick = (column: string): string =>
  `(${column} is not null and ${column} <> 'erased' and not substr(${column}, 1, ${firstHead.length}) between '${firstHead}' and '${lastHead}')`;

const tables = { sales, leads, partners, payoutLines, paymentDetails, claims, applications };
type Table = keyof typeof tables;

/** True if the row has a value in a column that may contain this kind of data. `other` are columns with their own check. */
const hasHeld = (table: Table, held: string, row: string, other: readonly string[] = []): string => {
  const declared: Readonly<Record<string, string>> = personal[table];
  const columns = Object.entries(getTableColumns(tables[table])).filter(
    ([name]) => declared[name] === held && !other.includes(name),
  );
  return `(${columns.map(([, { name }]) => `${row}.${name} is not null`).join(" or ")})`;
};
const hasText = (table: "sales" | "leads", row: string): string => hasHeld(table, "text", row);

/** True while the steps of the customer's erasure haven't reached the clicks. */
const isRunning = (customer: string): string => `${customer}.id in (
  select i.value from erasures e join json_each(e.customer_ids) i where e.erased_at is null)`;

/** The time of the first erasure that may have covered a row. That erasure had to erase all data stored before it. */
const firstSince = (row: string): string => `(select min(e.requested_at) from erasures e
  where e.program_id = ${row}.program_id and e.subject <> 'partner' and e.requested_at >= ${row}.created_at)`;

const actionOf = (erasure: string): string => `iif(${erasure}.subject = 'partner', 'partner.erased', 'person.erased')`;

/** The customers in erasure receipts, with the time of their last erasure request. */
const named =
  (condition: string) =>
  (of: Scope): string =>
    `
    select i.value as customer, max(e.requested_at) as at from erasures e join json_each(e.customer_ids) i
    where ${of("e")} and ${condition} group by i.value`;

/** The partners of each program, numbered in order of creation. */
const numbered = `(select *, 'Partner ' || sum(not is_synthetic) over (partition by program_id order by id) as pseudonym from partners)`;

export const erasureInvariants: Invariants = {
  "erasures that the audit trail doesn't have, or has differently": (of) => `
    select e.id as receipt, a.id as audit_entry from erasures e
    left join audit_entries a on a.operation_id = iif(e.id like 'erasure_%', substr(e.id, 9), null)
      and a.program_id = e.program_id and a.action = ${actionOf("e")}
    where ${of("e")} and (a.id is null or a.actor_id <> e.requested_by or a.created_at <> e.requested_at
      or ${field("a.after", "receiptId")} is not e.id)
    union all
    select null, a.id from audit_entries a
    where ${of("a")} and a.action in ('person.erased', 'partner.erased') and not exists (
      select 1 from erasures e where e.id = 'erasure_' || a.operation_id and e.program_id = a.program_id and a.action = ${actionOf("e")})`,
  "erasures that changed a sum": (of) => `
    select e.id as receipt from erasures e
    where ${of("e")} and e.erased_at = e.requested_at and e."before" is not e.after`,
  "erased customers with identifying data": (of) => `
    select c.id as customer, null as sale from customers c
    where ${of("c")} and c.is_erased and (
      c.customer_key is not null and not ${isPseudonym("c.customer_key")} or coalesce(c.email_hash, c.similar_hash, c.email_mask, c.address_marks) is not null
      or ${isRawClick("c.click_id")})
    union all
    select s.customer_id, s.id from sales s
    where ${of("s")} and s.is_erased and (${hasText("sales", "s")}
      or s.sent_customer_key is not null and not ${isPseudonym("s.sent_customer_key")} or ${isRawClick("s.sent_click_id")})
    union all
    select c.id, null from customers c join customer_clicks k on k.customer_id = c.id
    where ${of("c")} and c.is_erased and ${isRawClick("k.click_id")} and not ${isRunning("c")}
    union all
    select s.customer_id, s.id from sales s join commissions m on m.sale_id = s.id
    where ${of("s")} and s.is_erased and m.sub is not null
    union all
    select s.customer_id, s.id from sales s join refunds r on r.sale_id = s.id
    where ${of("s")} and s.is_erased and r.reason is not null and r.created_at < ${firstSince("s")}
    union all
    select c.id, null from customers c join leads l on l.customer_id = c.id
    where ${of("c")} and c.is_erased and (${hasText("leads", "l")} or ${isRawClick("l.click_id")}) and l.created_at < ${firstSince("c")}`,
  "erasures of customers who aren't erased": (of) => `
    select e.id as receipt, i.value as customer from erasures e join json_each(e.customer_ids) i
    left join customers c on c.id = i.value and c.program_id = e.program_id
    where ${of("e")} and coalesce(c.is_erased, 0) = 0`,
  "erasures that skipped a sale": (of) => `
    select c.id as customer, s.id as sale from customers c join sales s on s.customer_id = c.id
    where ${of("c")} and c.is_erased and not s.is_erased and exists (
      select 1 from sales o where o.customer_id = c.id and o.is_erased and o.correction is null and o.id > s.id)
    union all
    select c.id, s.id from customers c join sales s on s.customer_id = c.id
    join (${named("e.erased_at is not null")(of)}) x on x.customer = c.id
    where ${of("c")} and c.is_erased and not s.is_erased and s.corrected_sale_id is null
      and s.created_at < x.at - ${2 * clockToleranceMs}`,
  "erased customers without a receipt": (of) => `
    select c.id as customer from customers c
    where ${of("c")} and c.is_erased and c.id not in (select x.customer from (${named("1")(of)}) x)`,
  // There may be more erased sales than in the receipts, because a correction of an erased sale adds one.
  "fewer erased sales than their receipts say": (of) => `
    select program, told, found from (
      select x.program, x.told, (select count(*) from sales s where s.program_id = x.program and s.is_erased) as found from (
        select e.program_id as program, sum(${field("e.rows", "sales")}) as told from erasures e
        where ${of("e")} and e.subject <> 'partner' group by e.program_id) x
    ) where found < told`,
  "digests of erased people that are missing or too many": (of) => `
    select program, told, found from (
      select x.program, x.told, x.is_whole, (
          select count(*) from erased_identifiers i where i.program_id = x.program) as found
      from (
        select e.program_id as program, sum(e.identifiers) as told, count(*) = count(e.identifiers) as is_whole
        from erasures e where ${of("e")} group by e.program_id) x
    ) where iif(is_whole, found <> told, found < told)`,
  "erased partners with identifying data": (of) => `
    select p.id as partner, null as line from ${numbered} p
    where ${of("p")} and p.erasure_id is not null and (p.name <> p.pseudonym or p.status <> 'paused'
      or ${hasHeld("partners", "partner", "p", ["name"])}
      or exists (select 1 from partner_accounts c where c.partner_id = p.id)
      or exists (select 1 from partner_invitations i where i.partner_id = p.id)
      or exists (select 1 from payment_details d where d.partner_id = p.id and ${hasHeld("paymentDetails", "partner", "d")})
      or exists (select 1 from claims c where c.partner_id = p.id and ${hasHeld("claims", "partner", "c")}))
    union all
    select p.id, l.id from ${numbered} p join payout_lines l on l.partner_id = p.id join payouts y on y.id = l.payout_id
    join erasures e on e.id = p.erasure_id
    where ${of("p")} and y.created_at < e.erased_at and (${hasHeld("payoutLines", "partner", "l", ["name"])}
      or l.name <> p.pseudonym and not iif(y.settled_by = 'api', l.settled_at is not null, y.status = 'paid' and l.state in ('live', 'failed')))
    union all
    select p.id, null from applications q cross join partners p on p.id = q.partner_id and p.program_id = q.program_id
    where ${of("p")} and p.erasure_id is not null and (q.name <> '' or q.answers <> '{}'
      or ${hasHeld("applications", "account", "q", ["name", "answers", "accountId"])})`,
  "erased partners without a receipt, and receipts without an erased partner": (of) => `
    select e.id as receipt, null as partner from erasures e
    where ${of("e")} and (e.subject = 'partner') <> exists (
      select 1 from partners p where p.erasure_id = e.id and p.program_id = e.program_id)
    union all
    select p.erasure_id, p.id from partners p
    where ${of("p")} and p.erasure_id is not null and not exists (
      select 1 from erasures e where e.id = p.erasure_id and e.program_id = p.program_id)`,
};
