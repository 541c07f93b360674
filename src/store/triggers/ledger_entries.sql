-- Rejects updates: a wrong entry is corrected by another entry.
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;

-- Rejects deletes, because the accounts would no longer be the sums of the entries.
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER ledger_entries_no_replace BEFORE INSERT ON ledger_entries
WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE id = new.id)
  OR (new.kind = 'earned' AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE commission_id = new.commission_id AND kind = 'earned'
  ))
  OR (new.kind = 'rejected' AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE commission_id = new.commission_id AND kind = 'rejected'
  ))
  OR (new.kind = 'moved' AND EXISTS (
    SELECT 1 FROM ledger_entries
    WHERE commission_id = new.commission_id AND partner_id = new.partner_id AND kind = 'moved'
      AND (amount_cents < 0) = (new.amount_cents < 0)
  ))
  OR (new.refund_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE refund_id = new.refund_id AND refund_id IS NOT NULL
  ))
  OR (new.adjustment_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE adjustment_id = new.adjustment_id AND adjustment_id IS NOT NULL
  ))
  OR (new.payout_line_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries
    WHERE payout_line_id = new.payout_line_id AND kind = new.kind AND payout_line_id IS NOT NULL
  ))
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;

-- Only this trigger changes a commission's amount, so it is always the sum of the commission's entries. The `earned`
-- entry also reports the commission as created.
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  SELECT new.program_id, new.is_test, 'commission.created', c.id, json_array(
    c.partner_id, c.status, new.amount_cents, c.is_unconfirmed, c.status = 'pending' AND c.held_at IS NOT NULL, c.hold_until,
    new.currency
  )
  FROM commissions c WHERE new.kind = 'earned' AND c.id = new.commission_id;
  UPDATE commissions SET
    amount_cents = amount_cents + new.amount_cents,
    event_seq = iif(
      new.kind = 'earned', (SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test), event_seq
    )
  WHERE id = new.commission_id;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, new.amount_cents)
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
  -- For tiers and bonuses, a sale counts while its commission is above 0. When a sale moves, its first entry removes it from the
  -- count of the previous partner, and its second entry adds it to the count of the new one.
  INSERT INTO tier_counts (
    program_id, is_test, partner_id, month, currency, sales, revenue_cents, approved_sales, approved_revenue_cents
  )
  SELECT new.program_id, new.is_test, new.partner_id, substr(s.day, 1, 7), s.currency,
    iif(c.amount_cents > 0, 1, -1), iif(c.amount_cents > 0, s.amount_cents, -s.amount_cents),
    iif(c.payable_number IS NULL, 0, iif(c.amount_cents > 0, 1, -1)),
    iif(c.payable_number IS NULL, 0, iif(c.amount_cents > 0, s.amount_cents, -s.amount_cents))
  FROM tier_books b CROSS JOIN commissions c CROSS JOIN sales s
  WHERE b.program_id = new.program_id AND b.is_test = new.is_test AND c.id = new.commission_id AND s.id = c.sale_id
    AND s.occurred_at >= b.counted_from AND (c.amount_cents > 0) <> (c.amount_cents > new.amount_cents)
  ON CONFLICT DO UPDATE SET
    sales = sales + excluded.sales, revenue_cents = revenue_cents + excluded.revenue_cents,
    approved_sales = approved_sales + excluded.approved_sales,
    approved_revenue_cents = approved_revenue_cents + excluded.approved_revenue_cents, is_due = 1;
END;

-- Adds the entry of a commission to an account of its partner: to `pending` before the approval, and to `payable` after
-- it.
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL AND new.is_test = 0
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, pending_cents, payable_cents)
  SELECT new.program_id, new.currency, new.partner_id,
    iif(c.payable_number IS NULL, new.amount_cents, 0), iif(c.payable_number IS NULL, 0, new.amount_cents)
  FROM commissions c WHERE c.id = new.commission_id
  ON CONFLICT DO UPDATE SET
    pending_cents = pending_cents + excluded.pending_cents, payable_cents = payable_cents + excluded.payable_cents;
END;

-- An entry of a payout line either pays a live line, or returns a paid line that failed, with exactly the line's
-- amount.
CREATE TRIGGER ledger_entries_of_payout BEFORE INSERT ON ledger_entries
WHEN new.payout_line_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.id = new.payout_line_id AND l.program_id = new.program_id AND l.partner_id = new.partner_id
    AND l.currency = new.currency AND new.is_test = 0
    AND iif(p.settled_by = 'api', l.settled_at IS NOT NULL, p.status = 'paid')
    AND CASE new.kind
      WHEN 'paid' THEN l.state = 'live' AND new.amount_cents = -l.amount_cents
      ELSE l.state = 'failed' AND new.amount_cents = l.amount_cents
    END
)
BEGIN
  SELECT raise(ABORT, 'not the payment of a line');
END;

-- A manual entry needs an adjustment of the same amount, which gives the reason.
CREATE TRIGGER ledger_entries_of_person BEFORE INSERT ON ledger_entries
WHEN new.adjustment_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM adjustments a
  WHERE a.id = new.adjustment_id AND a.program_id = new.program_id AND a.partner_id = new.partner_id
    AND a.currency = new.currency AND a.amount_cents = new.amount_cents AND new.is_test = 0
)
BEGIN
  SELECT raise(ABORT, 'not the entry of an adjustment');
END;

-- A payment reduces the account `in payout`. The amount of a returned payment is payable again. An adjustment is added
-- to the account `payable`.
CREATE TRIGGER ledger_entries_settled AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NULL
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, payable_cents, in_payout_cents, paid_cents)
  VALUES (
    new.program_id, new.currency, new.partner_id, iif(new.kind = 'paid', 0, new.amount_cents),
    iif(new.kind = 'paid', new.amount_cents, 0), iif(new.kind = 'adjusted', 0, -new.amount_cents)
  )
  ON CONFLICT DO UPDATE SET
    payable_cents = payable_cents + excluded.payable_cents, in_payout_cents = in_payout_cents + excluded.in_payout_cents,
    paid_cents = paid_cents + excluded.paid_cents;
END;
