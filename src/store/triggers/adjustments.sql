-- A booked adjustment is corrected by another one.
CREATE TRIGGER adjustments_no_update BEFORE UPDATE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;

-- Its ledger entry would have no cause.
CREATE TRIGGER adjustments_no_delete BEFORE DELETE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;

-- `insert or replace` deletes the rows of the same id or unique key without running delete triggers.
CREATE TRIGGER adjustments_no_replace BEFORE INSERT ON adjustments
WHEN EXISTS (SELECT 1 FROM adjustments WHERE id = new.id)
  OR EXISTS (
    SELECT 1 FROM adjustments
    WHERE program_id = new.program_id AND partner_id = new.partner_id AND reference = new.reference
  )
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
