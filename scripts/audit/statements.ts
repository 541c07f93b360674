import { clockToleranceMs } from "#domain/calendar.ts";
import type { Invariants } from "./invariant.ts";

const now = `(unixepoch('now') * 1000 + ${clockToleranceMs})`;

/**
 * Rules about statements. Ids rise with the times of postings, so each statement must open with the balance with which
 * the previous one closed.
 */
export const statementInvariants: Invariants = {
  "statements that don't close at the partner's balance": (of) => `
    select program_id as program, currency, partner_id as partner, sum(balance) as balance, sum(posted) as closing from (
      select b.program_id, b.currency, b.partner_id, b.pending_cents + b.payable_cents + b.in_payout_cents as balance, 0 as posted
      from partner_balances b where ${of("b")}
      union all
      select e.program_id, e.currency, e.partner_id, 0, e.amount_cents from ledger_entries e
      where ${of("e")} and e.is_test = 0 and e.created_at <= ${now}
    ) group by 1, 2, 3 having sum(balance) <> sum(posted)`,
};
