-- Only an undecided commission that is credited by browser evidence alone, or by a coupon, may move to another partner,
-- and only one credited by a coupon may lose its partner. A sub-id is filled in later if the click was kept during an
-- outage, and is deleted with an erased customer.
CREATE TRIGGER commissions_attribution_stays BEFORE UPDATE OF partner_id, source, sub ON commissions
WHEN old.partner_id IS NOT NULL AND (
  new.partner_id IS NOT old.partner_id OR new.source IS NOT old.source
  OR (old.sub IS NOT NULL AND new.sub IS NOT old.sub AND NOT (new.sub IS NULL AND EXISTS (
    SELECT 1 FROM sales s WHERE s.id = old.sale_id AND s.is_erased
  )))
) AND (
  (old.source <> 'coupon' AND (old.is_unconfirmed = 0 OR new.partner_id IS NULL))
  OR old.status IN ('approved', 'rejected') OR old.approved_at IS NOT NULL
)
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;

-- The amount is in the account `pending` until the approval, which sets `payable_number`, and in `payable` after it. If
-- an update moves a commission to another partner, it runs before the entries of the move are written. An approval in
-- that update therefore applies to the amount of the previous partner, in the previous currency.
CREATE TRIGGER commissions_balanced AFTER UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND (old.payable_number IS NULL) <> (new.payable_number IS NULL) AND new.amount_cents <> 0
BEGIN
  UPDATE partner_balances SET
    pending_cents = pending_cents - iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents),
    payable_cents = payable_cents + iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents)
  WHERE program_id = new.program_id AND currency = old.currency
    AND partner_id = coalesce(old.partner_id, new.partner_id);
END;

-- Bonuses include only approved sales. If the update also moves the commission to another partner, the approval applies
-- to the previous partner.
CREATE TRIGGER commissions_counted AFTER UPDATE OF payable_number ON commissions
WHEN (old.payable_number IS NULL) <> (new.payable_number IS NULL) AND new.amount_cents > 0
BEGIN
  UPDATE tier_counts SET
    approved_sales = approved_sales + iif(new.payable_number IS NULL, -1, 1),
    approved_revenue_cents = approved_revenue_cents + iif(new.payable_number IS NULL, -s.amount_cents, s.amount_cents),
    is_due = 1
  FROM tier_books b CROSS JOIN sales s
  WHERE b.program_id = new.program_id AND b.is_test = new.is_test AND s.id = new.sale_id AND s.occurred_at >= b.counted_from
    AND tier_counts.program_id = new.program_id AND tier_counts.is_test = new.is_test
    AND tier_counts.partner_id = coalesce(old.partner_id, new.partner_id)
    AND tier_counts.month = substr(s.day, 1, 7) AND tier_counts.currency = s.currency;
END;

-- A live payout line contains commissions by their payable numbers. A commission in a line keeps its number, and no
-- other commission can get a number that a line contains.
CREATE TRIGGER commissions_numbered BEFORE UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND new.payable_number IS NOT old.payable_number AND (
  EXISTS (
    SELECT 1 FROM payout_ranges r
    WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
      AND r.to_number >= new.payable_number
  ) OR (
    SELECT r.from_number < old.payable_number AND (
      old.status = 'approved'
      OR old.reversed_number > (SELECT p.finalized_number FROM payouts p WHERE p.id = r.payout_id)
    )
    FROM payout_ranges r
    WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
      AND r.to_number >= old.payable_number
    ORDER BY r.to_number LIMIT 1
  )
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;

-- A refund can reverse an approved commission in a live payout line, but the commission can't be decided again.
CREATE TRIGGER commissions_held BEFORE UPDATE OF status ON commissions
WHEN new.is_test = 0 AND old.status = 'approved' AND new.status NOT IN ('approved', 'reversed') AND EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = old.program_id AND r.currency = old.currency AND r.partner_id = old.partner_id
    AND r.to_number >= old.payable_number AND r.from_number < old.payable_number
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;

-- A new commission can't have a number that a live payout line contains, either.
CREATE TRIGGER commissions_born_later BEFORE INSERT ON commissions
WHEN new.is_test = 0 AND new.payable_number IS NOT NULL AND EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number >= new.payable_number
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;

-- Only a hold can undo an approval, and only an automatic approval.
CREATE TRIGGER commissions_approved BEFORE UPDATE OF status ON commissions
WHEN old.status = 'approved' AND new.status = 'pending' AND (old.approved_by = 'person' OR new.held_at IS NULL)
BEGIN
  SELECT raise(ABORT, 'only a hold takes an approval back');
END;

-- An attribution by a coupon becomes final with the first approval of a commission, manual or automatic.
CREATE TRIGGER commissions_of_coupon_approved AFTER UPDATE OF approved_at ON commissions
WHEN new.source = 'coupon' AND old.approved_at IS NULL AND new.approved_at IS NOT NULL
BEGIN
  UPDATE customers SET confirmed_at = new.approved_at
  WHERE id = (SELECT customer_id FROM sales WHERE id = new.sale_id)
    AND source = 'coupon' AND partner_id = new.partner_id AND confirmed_at IS NULL;
END;

-- A commission without a hold period is approved when it is created, which also makes the coupon's attribution final.
CREATE TRIGGER commissions_of_coupon_born_approved AFTER INSERT ON commissions
WHEN new.source = 'coupon' AND new.approved_at IS NOT NULL
BEGIN
  UPDATE customers SET confirmed_at = new.approved_at
  WHERE id = (SELECT customer_id FROM sales WHERE id = new.sale_id)
    AND source = 'coupon' AND partner_id = new.partner_id AND confirmed_at IS NULL;
END;

-- A sale and its commission share one event, because the commission has the evidence of the attribution.
CREATE TRIGGER commissions_sale_told AFTER INSERT ON commissions
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (new.program_id, new.is_test, 'sale.recorded', new.sale_id, json_array(new.partner_id, new.source));
END;

-- Reports that the sale has moved to another partner, or is now credited by other evidence.
CREATE TRIGGER commissions_sale_moved AFTER UPDATE OF partner_id, source ON commissions
WHEN old.partner_id IS NOT new.partner_id OR old.source IS NOT new.source
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (
    new.program_id, new.is_test, 'sale.updated', new.sale_id, json_array(old.partner_id, old.source),
    json_array(new.partner_id, new.source)
  );
END;

-- Writes only one event for each commit, however many statements of the commit change the commission: `event_seq` is
-- the number of the commission's last event. For a commission that hasn't earned anything yet, the first ledger entry
-- writes the event instead. A fully reversed commission is still shown as approved, in events and in lists, if it is in
-- a payout line that was finalized before the reversal.
CREATE TRIGGER commissions_told
AFTER UPDATE OF partner_id, status, amount_cents, is_unconfirmed, held_at, hold_until ON commissions
WHEN new.event_seq IS old.event_seq AND (old.status <> 'void' OR old.event_seq IS NOT NULL) AND (
  old.status <> new.status OR old.amount_cents <> new.amount_cents OR old.partner_id IS NOT new.partner_id
  OR old.is_unconfirmed <> new.is_unconfirmed OR (old.held_at IS NULL) <> (new.held_at IS NULL)
  OR old.hold_until IS NOT new.hold_until
)
BEGIN
  UPDATE events SET after = json_array(
    new.partner_id, iif(new.status = 'reversed' AND new.reversed_number > line.number, 'approved', new.status), new.amount_cents,
    new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until, new.currency
  )
  FROM (
    SELECT CASE WHEN 'reversed' IN (old.status, new.status) THEN (
      SELECT p.finalized_number FROM payout_ranges r JOIN payouts p ON p.id = r.payout_id
      WHERE new.is_test = 0 AND r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
        AND r.to_number >= new.payable_number AND r.from_number < new.payable_number
    ) END AS number
  ) line
  WHERE program_id = new.program_id AND is_test = new.is_test AND seq = new.event_seq AND subject = new.id
    AND (epoch, batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= events.at);

  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, new.is_test, 'commission.updated', new.id,
    json_array(
      old.partner_id, iif(old.status = 'reversed' AND old.reversed_number > line.number, 'approved', old.status), old.amount_cents,
      old.is_unconfirmed, old.status = 'pending' AND old.held_at IS NOT NULL, old.hold_until, old.currency
    ),
    json_array(
      new.partner_id, iif(new.status = 'reversed' AND new.reversed_number > line.number, 'approved', new.status), new.amount_cents,
      new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until, new.currency
    )
  FROM (
    SELECT CASE WHEN 'reversed' IN (old.status, new.status) THEN (
      SELECT p.finalized_number FROM payout_ranges r JOIN payouts p ON p.id = r.payout_id
      WHERE new.is_test = 0 AND r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
        AND r.to_number >= new.payable_number AND r.from_number < new.payable_number
    ) END AS number
  ) line
  WHERE NOT EXISTS (
    SELECT 1 FROM events e
    WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.seq = new.event_seq AND e.subject = new.id
      AND (e.epoch, e.batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= e.at)
  );

  UPDATE commissions
  SET event_seq = (SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test)
  WHERE id = new.id AND NOT EXISTS (
    SELECT 1 FROM events e
    WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.seq = new.event_seq AND e.subject = new.id
      AND (e.epoch, e.batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= e.at)
  );
END;
