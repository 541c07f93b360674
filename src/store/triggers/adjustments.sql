-- Rejects updates: a wrong adjustment is corrected by another adjustment.
CREATE TRIGGER adjustments_no_update BEFORE UPDATE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;

-- Rejects deletes: the ledger entry of a deleted adjustment would have no reason.
CREATE TRIGGER adjustments_no_delete BEFORE DELETE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER adjustments_no_replace BEFORE INSERT ON adjustments
WHEN EXISTS (SELECT 1 FROM adjustments WHERE id = new.id)
  OR EXISTS (
    SELECT 1 FROM adjustments
    WHERE program_id = new.program_id AND partner_id = new.partner_id AND reference = new.reference
  )
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;

-- Only the late settlement of a line can use the line's reference, so that the settlement is deducted at most once. If
-- an earlier version of the service gave the reference to another adjustment, the settlement uses one that ends with
-- ":late".
CREATE TRIGGER adjustments_of_late_settlement BEFORE INSERT ON adjustments
WHEN substr(new.reference, 1, 8) = 'settled:' AND NOT EXISTS (
  SELECT 1 FROM payout_lines l
  WHERE l.id = cast(substr(new.reference, 9) AS INTEGER) AND new.reference = 'settled:' || l.id || iif(EXISTS (
      SELECT 1 FROM adjustments a
      WHERE a.program_id = l.program_id AND a.partner_id = l.partner_id AND a.reference = 'settled:' || l.id
        AND a.created_at < l.failed_at AND a.reason_id < l.failure_id
    ), ':late', '')
    AND l.program_id = new.program_id AND l.partner_id = new.partner_id AND l.currency = new.currency
    AND l.late_settlement_id IS NOT NULL AND new.amount_cents = -l.amount_cents
)
BEGIN
  SELECT raise(ABORT, 'not the late settlement of a line');
END;

-- Only the award of a bonus can use the bonus's references, and only for exactly the bonus's amount. A partner is
-- therefore paid a bonus at most once for a period.
CREATE TRIGGER adjustments_of_bonus BEFORE INSERT ON adjustments
WHEN substr(new.reference, 1, 6) = 'bonus:' AND NOT EXISTS (
  SELECT 1 FROM bonuses b
  WHERE b.id = cast(substr(new.reference, 7) AS INTEGER) AND b.program_id = new.program_id
    AND b.amount_cents = new.amount_cents AND b.currency = new.currency
    AND substr(new.reference, 1, length(b.id) + 7) = 'bonus:' || b.id || ':'
    AND substr(new.reference, length(b.id) + 8) GLOB CASE b.period
      WHEN 'month' THEN '[0-9][0-9][0-9][0-9]-[01][0-9]' WHEN 'quarter' THEN '[0-9][0-9][0-9][0-9]-Q[1-4]'
      ELSE '[0-9][0-9][0-9][0-9]' END
    AND substr(new.reference, length(b.id) + 8) BETWEEN b.from_period AND coalesce(b.until_period, '9999-Q4')
)
BEGIN
  SELECT raise(ABORT, 'not the award of a bonus');
END;
