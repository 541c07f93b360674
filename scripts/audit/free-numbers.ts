import { lastNumber } from "#store/schema/payouts.ts";
import type { Invariants, Scope } from "./invariant.ts";

const account = "program_id, currency, partner_id";

/** Rows that only one of two queries returns, in either direction. */
const differences = (stored: string, expected: string): string => `
  select *, 'too many' as is_row from (${stored} except ${expected})
  union all
  select *, 'missing' from (${expected} except ${stored})`;

/** The stored gaps. A gap from 0 without an end means the same as no row, so it is ignored. */
const storedGaps = (of: Scope): string => `
  select ${account}, from_number, to_number from payout_gaps g
  where ${of("g")} and not (from_number = 0 and to_number = ${lastNumber})`;

const gapsOfRanges = (of: Scope): string => `
  select ${account}, before, from_number from (
    select ${account}, from_number, lag(to_number, 1, 0) over (partition by ${account} order by to_number) as before
    from payout_ranges r where ${of("r")}
  ) where before < from_number
  union all
  select ${account}, max(to_number), ${lastNumber} from payout_ranges r where ${of("r")} group by ${account}`;

const storedLines = (of: Scope): string => `
  select ${account}, finalized_number, payout_id from live_lines l where ${of("l")}`;

const linesOfPayouts = (of: Scope): string => `
  select l.program_id, l.currency, l.partner_id, p.finalized_number, p.id
  from payout_lines l join payouts p on p.id = l.payout_id
  where ${of("l")} and l.state = 'live' and p.status in ('final', 'paid')`;

export const freeNumberInvariants: Invariants = {
  "free numbers that don't match the ranges of lines": (of) => `
    select program_id as program, currency, partner_id as partner, from_number as after, to_number as up_to, is_row as "is"
    from (${differences(storedGaps(of), `select * from (${gapsOfRanges(of)})`)})`,
  "active lines that don't match final and paid payouts": (of) => `
    select program_id as program, currency, partner_id as partner, finalized_number as number, payout_id as payout, is_row as "is"
    from (${differences(storedLines(of), linesOfPayouts(of))})`,
};
