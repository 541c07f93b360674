-- Rejects updates, because the explanations of earlier sales show the offer.
CREATE TRIGGER offers_no_update BEFORE UPDATE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;

-- Rejects deletes: without this row, the previous offer would be in force again.
CREATE TRIGGER offers_no_delete BEFORE DELETE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;

-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers.
CREATE TRIGGER offers_no_replace BEFORE INSERT ON offers
WHEN EXISTS (SELECT 1 FROM offers WHERE program_id = new.program_id AND version = new.version)
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;
