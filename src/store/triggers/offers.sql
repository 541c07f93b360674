-- Explanations of earlier sales show the offer.
CREATE TRIGGER offers_no_update BEFORE UPDATE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;

-- Without this row, the previous offer would be in force again.
CREATE TRIGGER offers_no_delete BEFORE DELETE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;

-- `insert or replace` deletes the row of the same key without running delete triggers.
CREATE TRIGGER offers_no_replace BEFORE INSERT ON offers
WHEN EXISTS (SELECT 1 FROM offers WHERE program_id = new.program_id AND version = new.version)
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;
