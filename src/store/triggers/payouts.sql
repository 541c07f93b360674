-- Rejects changes of status that aren't allowed. A paid or canceled payout is closed.
CREATE TRIGGER payouts_in_order BEFORE UPDATE OF status ON payouts
WHEN new.status <> old.status AND NOT CASE old.status
  WHEN 'draft' THEN new.status IN ('final', 'canceled')
  WHEN 'final' THEN new.status IN ('paid', 'canceled')
  ELSE 0
END
BEGIN
  SELECT raise(ABORT, 'a payout never goes back');
END;

-- Rejects changes of the terms that decide the payments, such as the cutoff. Once the payout is final, the totals can't
-- change either.
CREATE TRIGGER payouts_terms_stay BEFORE UPDATE ON payouts
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.currency <> old.currency OR new.cut <> old.cut
  OR new.until <> old.until OR new.reference <> old.reference OR new.minimum_cents <> old.minimum_cents
  OR new.partner_ids IS NOT old.partner_ids OR new.created_at <> old.created_at OR new.created_by <> old.created_by
  OR (old.status <> 'draft' AND (
    new.total_cents <> old.total_cents OR new.line_count <> old.line_count
    OR new.finalized_number IS NOT old.finalized_number OR new.settled_by <> old.settled_by
  ))
  OR new.settled_cents < old.settled_cents OR new.given_back_cents < old.given_back_cents
  OR new.returned_cents < old.returned_cents
  OR (old.status IN ('paid', 'canceled') AND new.canceled_number IS NOT old.canceled_number)
BEGIN
  SELECT raise(ABORT, 'a final payout never changes');
END;

-- Rejects deletes, because the ledger has entries of the payout.
CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
BEGIN
  SELECT raise(ABORT, 'a payout is never deleted');
END;

-- A line can't pay more than the partner's payable balance.
CREATE TRIGGER payouts_covered BEFORE UPDATE OF status ON payouts
WHEN old.status = 'draft' AND new.status = 'final' AND EXISTS (
  SELECT 1 FROM payout_lines l LEFT JOIN partner_balances b
    ON b.program_id = l.program_id AND b.currency = l.currency AND b.partner_id = l.partner_id
  WHERE l.payout_id = new.id AND l.state = 'live' AND l.amount_cents > coalesce(b.payable_cents, 0)
)
BEGIN
  SELECT raise(ABORT, 'a line pays what is payable');
END;

-- Finalizing a payout moves the lines' amounts from `payable` to `in payout`, and canceling it moves them back.
CREATE TRIGGER payouts_balanced AFTER UPDATE OF status ON payouts
WHEN (old.status = 'draft' AND new.status = 'final') OR (old.status = 'final' AND new.status = 'canceled')
BEGIN
  UPDATE partner_balances SET
    payable_cents = payable_cents - iif(new.status = 'final', l.amount_cents, -l.amount_cents),
    in_payout_cents = in_payout_cents + iif(new.status = 'final', l.amount_cents, -l.amount_cents)
  FROM payout_lines l
  WHERE l.payout_id = new.id AND l.state = 'live' AND partner_balances.program_id = l.program_id
    AND partner_balances.currency = l.currency AND partner_balances.partner_id = l.partner_id;
END;

-- Adds the payout's lines to the live lines, so that later payouts find the newest line of each partner without
-- scanning the older ones.
CREATE TRIGGER payouts_lines_begin AFTER UPDATE OF status ON payouts
WHEN old.status = 'draft' AND new.status = 'final'
BEGIN
  INSERT INTO live_lines (program_id, currency, partner_id, finalized_number, payout_id)
  SELECT l.program_id, l.currency, l.partner_id, new.finalized_number, new.id
  FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live';
END;

-- Removes the lines of a canceled payout from the live lines, so that later payouts don't read them.
CREATE TRIGGER payouts_lines_end AFTER UPDATE OF status ON payouts
WHEN old.status = 'final' AND new.status = 'canceled'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND finalized_number = new.finalized_number
    AND partner_id IN (SELECT l.partner_id FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live');
END;

-- Reports changes of a payout, except of a draft. If a payout is settled by API, the events of its lines report the
-- payments.
CREATE TRIGGER payouts_told AFTER UPDATE OF status ON payouts
WHEN old.status <> new.status AND (old.status = 'final' OR new.status = 'final')
  AND NOT (new.settled_by = 'api' AND new.status = 'paid')
BEGIN
  INSERT INTO events (program_id, is_test, type, subject)
  VALUES (
    new.program_id, 0,
    CASE new.status WHEN 'final' THEN 'payout.finalized' WHEN 'paid' THEN 'payout.confirmed' ELSE 'payout.canceled' END, new.id
  );
END;

-- Each payment has one statement for the partner, numbered in the order of the payments. If the payout is settled by
-- API, the number is set together with the line's settlement.
CREATE TRIGGER payouts_statements AFTER UPDATE OF status ON payouts
WHEN old.status <> 'paid' AND new.status = 'paid' AND new.settled_by = 'person'
BEGIN
  UPDATE payout_lines SET statement_number = 1 + coalesce((
    SELECT max(s.statement_number) FROM payout_lines s
    WHERE s.partner_id = payout_lines.partner_id AND s.statement_number IS NOT NULL
  ), 0)
  WHERE payout_id = new.id AND state = 'live';
END;
