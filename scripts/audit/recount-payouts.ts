import { clockToleranceMs } from "#domain/calendar.ts";
import type { Broken, Read, Recount, Scope } from "./invariant.ts";
import { type FinalizedLine, type HeldNumbers, type WalkedLine, walk } from "./walk.ts";

const rules = {
  numbers: "numbers that aren't in their line, and lines with the numbers of others",
  commissions: "lines whose commissions or adjustments don't match",
  amount: "lines whose amount differs from what was payable up to their cutoff",
} as const;

interface Account {
  readonly program: number;
  readonly currency: string;
  readonly partner: number;
  /** The finalized lines. Lines of drafts are excluded. */
  readonly lines: readonly FinalizedLine[];
  readonly ranges: readonly Pick<HeldNumbers, "payout" | "after" | "upTo">[];
}

const isOfAccount = (alias: string, of = "b"): string =>
  `${alias}.program_id = ${of}.program_id and ${alias}.currency = ${of}.currency and ${alias}.partner_id = ${of}.partner_id`;

const returned = "(select e.id from ledger_entries e where e.payout_line_id = l.id and e.kind = 'returned')";

const accountPage = (of: Scope, last: Account | undefined): string => `
  select json_object('program', b.program_id, 'currency', b.currency, 'partner', b.partner_id,
    'lines', (
      select json_group_array(json_object('line', l.id, 'payout', p.id, 'cut', p.cut, 'finalized', p.finalized_number,
        'ended', iif(l.state = 'failed', coalesce(l.given_back_number, ${returned}), p.canceled_number)))
      from payout_lines l join payouts p on p.id = l.payout_id
      where ${isOfAccount("l")} and l.state in ('live', 'failed') and p.finalized_number is not null),
    'ranges', (
      select json_group_array(json_object('payout', r.payout_id, 'after', r.from_number, 'upTo', r.to_number))
      from (select * from payout_ranges r where ${isOfAccount("r")} order by r.to_number) r))
  from partner_balances b
  where ${of("b")} and ${last === undefined ? "1" : `(b.program_id, b.currency, b.partner_id) > (${last.program}, '${last.currency.replaceAll("'", "''")}', ${last.partner})`}
  order by b.program_id, b.currency, b.partner_id`;

/** Computes each partner's lines again in order, and adds up their amounts. */
export const payoutRecount: Recount<Account> = {
  finds: Object.values(rules),
  page: accountPage,
  async *check(page, read) {
    let asked: WalkedLine[] = [];
    for (const account of page) {
      const { lines, held } = walk(account.lines);
      yield* differencesOf(account, held);
      asked.push(...lines);
      if (asked.length < linesOfQuestion) continue;
      yield* wrongLines(asked, read);
      asked = [];
    }
    yield* wrongLines(asked, read);
  },
};

function* differencesOf({ partner, lines, ranges }: Account, held: readonly HeldNumbers[]): Iterable<Broken> {
  const keyOf = ({ payout, after, upTo }: Account["ranges"][number]) => `${payout} ${after} ${upTo}`;
  const stored = new Set(ranges.map(keyOf));
  const walked = new Set(held.map(keyOf));
  const lineOf = new Map(lines.map(({ payout, line }) => [payout, line]));
  const broken = (numbers: Account["ranges"][number], is: string): Broken => {
    const { payout, after, upTo } = numbers;
    return {
      broken: rules.numbers,
      row: { line: lineOf.get(payout) ?? null, payout, partner, after, up_to: upTo, is },
    };
  };
  for (const numbers of held) if (!stored.has(keyOf(numbers))) yield broken(numbers, "missing");
  for (const numbers of ranges) if (!walked.has(keyOf(numbers))) yield broken(numbers, "too many");
}

/** The maximum number of parts in one statement. */
const linesOfQuestion = 1_000;

type Part = readonly [line: number, kind: string, after: number, upTo: number];

const partsOf = ({ line, finalized, held, later, lastFinalized, firstEnded }: WalkedLine): readonly Part[] => [
  ...held.map(({ after, upTo }): Part => [line, "held", after, upTo]),
  ...later.map(({ after, upTo }): Part => [line, "later", after, upTo]),
  [line, "write-offs", lastFinalized, finalized],
  ...(firstEnded === null ? [] : [[line, "ended", firstEnded, Number.MAX_SAFE_INTEGER] as const]),
];

interface WrongLine {
  readonly line: number;
  readonly of: keyof typeof rules;
  readonly [column: string]: unknown;
}

async function* wrongLines(lines: readonly WalkedLine[], read: Read): AsyncIterable<Broken> {
  if (lines.length === 0) return;
  for (const found of (await read(wrongAmong(lines.flatMap(partsOf)))) as WrongLine[]) {
    const { of, ...row } = found;
    yield { broken: rules[of], row };
  }
}

/** A commission's amount when a line was finalized. */
const then = `coalesce((
  select sum(e.amount_cents) from ledger_entries e where e.commission_id = c.id and e.id < p.finalized_number), 0)`;

const isTaken = "w.kind = 'held' and (c.status = 'approved' or c.reversed_number > p.finalized_number)";

/** True if a hold may have revoked the commission's approval. */
const wasHeldLater = `exists (select 1 from commission_signals g where g.commission_id = c.id and g.effect = 'hold'
  and g.raised_at >= c.hold_until - ${clockToleranceMs} and (g.code = 'by_hand' or g.raised_at > c.created_at))`;

/** True if the commission became payable again after its payout line ended, so that its number is from a later time. */
const isNumberedAnew = `(${wasHeldLater} or exists (select 1 from ledger_entries e
  where e.commission_id = c.id and e.kind = 'restored' and e.id > w.after and e.id < c.payable_number))`;

const ofPart = (alias: string, number: string): string =>
  `${isOfAccount(alias, "l")}
    and ${number} > w.after and ${number} <= w.up_to`;

/**
 * Finds lines with wrong parts or a wrong amount. What was payable before a line is the sum of earlier postings:
 * entries of approved commissions, adjustments and returned payments, less the lines that were finalized and not
 * canceled. Cents are returned as text, because a sum may exceed the safe integers.
 */
const wrongAmong = (parts: readonly Part[]): string => `
  with wanted(line, kind, after, up_to) as materialized (
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each('${JSON.stringify(parts)}')
  ),
  found(line, commissions, commissions_cents, adjustments_cents, later_cents, anew_cents) as (
    select w.line, ${isTaken}, iif(${isTaken}, ${then}, 0), 0, iif(w.kind = 'later', ${then}, 0),
      iif(w.kind = 'ended' and ${isNumberedAnew}, ${then}, 0)
    from wanted w cross join payout_lines l on l.id = w.line join payouts p on p.id = l.payout_id
    cross join commissions c on ${ofPart("c", "c.payable_number")} and c.is_test = 0
    where w.kind <> 'write-offs'
    union all
    select w.line, 0, 0, 0, 0, ${then}
    from wanted w cross join payout_lines l on l.id = w.line join payouts p on p.id = l.payout_id
    cross join commissions c on ${isOfAccount("c", "l")} and c.is_test = 0
    where w.kind = 'ended' and c.status in ('pending', 'reversed', 'rejected') and c.payable_number is null and ${wasHeldLater}
    union all
    select w.line, 0, 0, iif(w.kind = 'later', 0, e.amount_cents), iif(w.kind = 'later', e.amount_cents, 0), 0
    from wanted w cross join payout_lines l on l.id = w.line
    cross join ledger_entries e on ${ofPart("e", "e.id")} and e.adjustment_id is not null
    where w.kind <> 'ended' and (e.amount_cents < 0) = (w.kind = 'write-offs')
  ),
  account(program_id, currency, partner_id) as materialized (
    select distinct l.program_id, l.currency, l.partner_id from wanted w cross join payout_lines l on l.id = w.line
  ),
  posted(program_id, currency, partner_id, number, cents, line) as (
    select b.*, max(e.id, coalesce(c.payable_number, 0)), e.amount_cents, null
    from account b cross join ledger_entries e on ${isOfAccount("e")} and e.is_test = 0
    left join commissions c on c.id = e.commission_id
    where e.kind <> 'paid' and (e.commission_id is null or c.payable_number is not null)
    union all
    select b.*, iif(x.is_end, coalesce(l.given_back_number, p.canceled_number), p.finalized_number), iif(x.is_end, l.amount_cents, -l.amount_cents),
      iif(x.is_end, null, l.id)
    from account b cross join payout_lines l on ${isOfAccount("l")} join payouts p on p.id = l.payout_id
    cross join (select 0 as is_end union all select 1) x
    where l.state in ('live', 'failed') and p.finalized_number is not null and (
      x.is_end = 0 or l.given_back_number is not null or (p.status = 'canceled' and p.settled_by = 'person'))
  ),
  payable(line, cents) as (
    select line, coalesce(before, 0) from (
      select line, sum(cents) over (
        partition by program_id, currency, partner_id order by number rows between unbounded preceding and 1 preceding
      ) as before from posted
    ) where line is not null
  ),
  summed as (
    select line, sum(commissions) as commissions, sum(commissions_cents) as commissions_cents,
      sum(adjustments_cents) as adjustments_cents, sum(later_cents) as later_cents, sum(anew_cents) as anew_cents
    from (select * from found union all select distinct line, 0, 0, 0, 0, 0 from wanted) group by line
  )
  select json_object('line', l.id, 'of', 'commissions', 'commissions', l.commissions, 'found', s.commissions,
    'cents', '' || l.commissions_cents, 'foundCents', '' || s.commissions_cents,
    'adjustmentsCents', '' || l.adjustments_cents, 'foundAdjustmentsCents', '' || s.adjustments_cents)
  from summed s cross join payout_lines l on l.id = s.line
  where l.commissions <> s.commissions or l.commissions_cents <> s.commissions_cents
    or l.adjustments_cents <> s.adjustments_cents
  union all
  select json_object('line', l.id, 'of', 'amount', 'amountCents', '' || l.amount_cents,
    'payableCents', '' || (y.cents - s.later_cents))
  from payable y cross join summed s on s.line = y.line cross join payout_lines l on l.id = s.line
  where l.amount_cents - (y.cents - s.later_cents) not between 0 and s.anew_cents`;
