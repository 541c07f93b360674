import { eventTypes } from "#domain/event-type.ts";
import type { Invariants, Scope } from "./invariant.ts";

const ofBook = (e: string, t: string): string => `${e}.program_id = ${t}.program_id and ${e}.is_test = ${t}.is_test`;

/** The number of the oldest event that hasn't been deleted. */
const oldestSeq = (t: string): string => `(select o.seq from events o where ${ofBook("o", t)} order by o.seq limit 1)`;

/** True if a commission stays approved because a payout line was finalized before the commission was reversed. */
const isKept = `c.status = 'reversed' and (
  select r.from_number < c.payable_number and c.reversed_number > p.finalized_number
  from payout_ranges r join payouts p on p.id = r.payout_id
  where r.program_id = c.program_id and r.currency = c.currency and r.partner_id = c.partner_id and c.is_test = 0
    and r.to_number >= c.payable_number order by r.to_number limit 1)`;

const fields = `c.partner_id, iif(${isKept}, 'approved', c.status), c.amount_cents, c.is_unconfirmed,
  c.status = 'pending' and c.held_at is not null, c.hold_until`;

/** Events from releases without units have no currency. */
const noted = `json_array(${fields}, c.currency), json_array(${fields})`;

const isOfCommission = "e.type in ('commission.created', 'commission.updated')";

/** True if the partner of row `t` has events. The partner of verification tests has none. */
const isTold = (t: string): string =>
  `not (${t}.is_test and coalesce((select p.is_synthetic from partners p where p.id = ${t}.partner_id), 0))`;

/** The largest difference between two clocks. A call has its Worker's time, and an event has the Ledger's. */
const clocksDifferMs = 300_000;

/** The time since which all events exist. Events of older records may have been deleted. */
const toldSince = (t: string): string =>
  `(select o.at + iif(o.seq = 1, 0, ${clocksDifferMs}) from events o where ${ofBook("o", t)} order by o.seq limit 1)`;

interface Told {
  readonly table: string;
  readonly types: readonly string[];
  readonly condition: string;
}

const toldOnce: readonly Told[] = [
  { table: "leads", types: ["lead.recorded"], condition: "not t.is_provisional" },
  { table: "sales", types: ["sale.recorded"], condition: "1" },
  { table: "refunds", types: ["refund.recorded", "refund.updated"], condition: "1" },
];

const listOf = (types: readonly string[]): string => types.map((type) => `'${type}'`).join(", ");

const untold = ({ table, types, condition }: Told, of: Scope): string => `
  select '${table}' as in_table, t.id, t.is_test from ${table} t
  where ${of("t")} and ${condition} and t.created_at > ${toldSince("t")} and ${isTold("t")}
    and (t.program_id, t.is_test, t.id) not in (
      select e.program_id, e.is_test, e.subject from events e where ${of("e")} and e.type in (${listOf(types)}))`;

const subjects: Readonly<Record<string, readonly string[]>> = {
  leads: ["lead.recorded"],
  customers: ["lead.moved"],
  sales: ["sale.recorded", "sale.updated"],
  refunds: ["refund.recorded", "refund.updated"],
  commissions: ["commission.created", "commission.updated"],
};

/** Subjects that have events only in the live book. */
const liveSubjects: Readonly<Record<string, readonly string[]>> = {
  payouts: ["payout.finalized", "payout.confirmed", "payout.canceled"],
  payout_lines: ["payout.line_settled", "payout.line_failed"],
  partners: ["partner.created", "partner.updated"],
  applications: ["partner.applied"],
  claims: ["partner.claim_opened"],
};

const strayEvents = (table: string, types: readonly string[], isOther: string, of: Scope): string => `
  select e.program_id as program, e.is_test, e.seq, e.subject from events e left join ${table} t on t.id = e.subject
  where ${of("e")} and e.type in (${listOf(types)}) and (t.program_id is not e.program_id or ${isOther})`;

const ofPartners = ["lead.%", "sale.%", "refund.%", "commission.%"].map((like) => `e.type like '${like}'`).join(" or ");

const noPartner = (of: Scope, side: "before" | "after"): string => `
  select e.program_id as program, e.is_test, e.seq, e.${side} from events e
  where ${of("e")} and (${ofPartners}) and e.${side} is not null and case when json_valid(e.${side}) then
    e.${side} ->> 0 is not null and not exists (
      select 1 from partners p where p.id = e.${side} ->> 0 and p.program_id = e.program_id) else 1 end`;

/** Event types that may occur only a limited number of times per subject. */
const onceTypes = [
  "lead.recorded",
  "refund.recorded",
  "refund.updated",
  "payout.finalized",
  "payout.confirmed",
  "payout.canceled",
  "payout.line_settled",
  "payout.line_failed",
  "partner.claim_opened",
];

interface Said {
  readonly table: string;
  /** Event types of which the last event states the row's current state. */
  readonly types: readonly string[];
  readonly row: string;
  readonly event: string;
}

const lastSaid: readonly Said[] = [
  {
    table: "(select sale_id as id, partner_id, source from commissions)",
    types: ["sale.recorded", "sale.updated"],
    row: "json_array(t.partner_id, t.source)",
    event: "e.after",
  },
  { table: "customers", types: ["lead.moved"], row: "json_array(t.partner_id)", event: "e.after" },
  {
    table: "partners",
    types: ["partner.created", "partner.updated"],
    row: "json_array(t.status, t.external_id, t.is_risk_exempt)",
    event: "json_array(e.after ->> 0, e.after ->> 1, e.after ->> 2)",
  },
];

const unlikeRow = ({ table, types, row, event }: Said, of: Scope): string => `
  select e.program_id as program, e.is_test, e.seq, e.subject, e.after from (
    select e.*, max(e.seq) over (partition by e.program_id, e.is_test, e.subject) as last_seq
    from events e where ${of("e")} and e.type in (${listOf(types)})
  ) e join ${table} t on t.id = e.subject where e.seq = e.last_seq and ${event} is not ${row}`;

const followingTypes = [
  "sale.recorded",
  "sale.updated",
  "commission.created",
  "commission.updated",
  "lead.moved",
  "partner.created",
  "partner.updated",
];

export const eventInvariants: Invariants = {
  "events with a gap in their numbers, or out of the order of time": (of) => `
    select program_id as program, is_test, seq, last_seq from (
      select e.program_id, e.is_test, e.seq, e.at, e.type, e.before, e.after,
        lag(e.seq) over book as last_seq, lag(e.at) over book as last_at
      from events e where ${of("e")} window book as (partition by e.program_id, e.is_test order by e.seq)
    ) where last_at > at or seq < 1 or iif(type = 'feed.restarted',
      after is not json_array(seq) or (last_seq is not null and before is not json_array(last_seq)),
      seq <> coalesce(last_seq + 1, seq))`,
  "events of another program or book than their subject": (of) =>
    [
      ...Object.entries(subjects).map(([table, types]) => strayEvents(table, types, "t.is_test is not e.is_test", of)),
      ...Object.entries(liveSubjects).map(([table, types]) => strayEvents(table, types, "e.is_test", of)),
    ].join(" union all "),
  "events of a partner that the program doesn't have": (of) =>
    `${noPartner(of, "before")} union all ${noPartner(of, "after")}`,
  "events that are in the feed twice": (of) => `
    select e.program_id as program, e.is_test, max(e.seq) as seq, e.type, e.subject from events e
    where ${of("e")} and e.type in (${listOf(onceTypes)}) group by e.program_id, e.is_test, e.type, e.subject having count(*) > 1`,
  "events of payouts that don't match the payout's state": (of) => `
    select e.program_id as program, e.is_test, e.seq, e.subject, p.status from events e join payouts p on p.id = e.subject
    where ${of("e")} and case e.type when 'payout.finalized' then p.status = 'draft' when 'payout.confirmed' then p.status <> 'paid' or p.settled_by = 'api'
      when 'payout.canceled' then p.status <> 'canceled' else 0 end`,
  // Only the finalization of a payout must be the first event of its subject. A call that cancels a refund has its own
  // row, so its event is about another subject than the refund's.
  "events whose type doesn't match their subject": (of) => `
    select e.program_id as program, e.is_test, e.seq, e.subject from events e join refunds r on r.id = e.subject
    where ${of("e")} and e.type in ('refund.recorded', 'refund.updated')
      and ((e.type = 'refund.updated') <> (r.asked in ('cancel', 'cancel_total'))
        or 'no_commission' not in (coalesce(e.after ->> '$[1]', ''), r.status) and e.after ->> '$[1]' is not r.status)
    union all
    select program_id, is_test, seq, subject from (
      select e.*, row_number() over (partition by e.program_id, e.is_test, e.subject order by e.seq) as place from events e
      where ${of("e")} and e.type in ('payout.finalized', 'payout.confirmed', 'payout.canceled')
    ) where type = 'payout.finalized' and place > 1`,
  "records that differ from their last event": (of) => lastSaid.map((each) => unlikeRow(each, of)).join(" union all "),
  "events of an unknown type": (of) => `
    select e.program_id as program, e.is_test, e.seq from events e where ${of("e")} and e.type not in (${listOf(eventTypes)})`,
  "records without an event": (of) => `${toldOnce.map((each) => untold(each, of)).join(" union all ")}
    union all
    select 'partners', t.id, 0 from (select *, 0 as is_test from partners) t
    where ${of("t")} and not t.is_synthetic and t.created_at > ${toldSince("t")} and (t.program_id, t.id) not in (
      select e.program_id, e.subject from events e where ${of("e")} and e.type = 'partner.created')
    union all
    select 'claims', t.id, 0 from (select *, 0 as is_test from claims) t
    where ${of("t")} and t.created_at > ${toldSince("t")} and (t.program_id, t.id) not in (
      select e.program_id, e.subject from events e where ${of("e")} and e.type = 'partner.claim_opened')`,
  "events that don't continue from the previous event of the same subject": (of) => `
    select program_id as program, is_test, seq, subject from (
      select e.program_id, e.is_test, e.seq, e.subject, e.type, e.before,
        lag(e.after) over same as last, lag(e.seq) over same as last_seq
      from events e where ${of("e")} and e.type in (${listOf(followingTypes)})
      window same as (partition by e.program_id, e.is_test, substr(e.type, 1, 4), e.subject order by e.seq)
    ) where iif(type in ('commission.created', 'sale.recorded', 'partner.created'),
      coalesce(last, before) is not null, before is null or (last_seq is not null and before is not last
        and not (type like 'commission.%' and before like rtrim(last, ']') || ',"___"]')))`,
  "commissions that differ from their last event": (of) => `
    select c.id as commission, c.event_seq as seq, e.after from commissions c
    left join events e on ${ofBook("e", "c")} and e.seq = c.event_seq
    where ${of("c")} and ${isTold("c")} and case
      when c.event_seq is null then exists (select 1 from ledger_entries l where l.commission_id = c.id and l.kind = 'earned')
      when e.seq is null then c.event_seq >= ${oldestSeq("c")}
      else e.subject <> c.id or not ${isOfCommission} or coalesce(e.after not in (${noted}), 1)
    end`,
  "commissions with a newer event than the stored last one": (of) => `
    select c.id as commission, max(e.seq) as seq from events e join commissions c on c.id = e.subject
    where ${of("e")} and ${isOfCommission} group by c.id having max(e.seq) is not c.event_seq`,
};
