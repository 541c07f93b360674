-- Rejects updates, because stored amounts and explanations depend on a unit's digits and words.
CREATE TRIGGER units_no_update BEFORE UPDATE ON units
BEGIN
  SELECT raise(ABORT, 'units never change');
END;

-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers.
CREATE TRIGGER units_no_replace BEFORE INSERT ON units
WHEN EXISTS (SELECT 1 FROM units WHERE program_id = new.program_id AND code = new.code)
BEGIN
  SELECT raise(ABORT, 'units never change');
END;

-- Rejects deletes: without the row, amounts in the unit couldn't be formatted.
CREATE TRIGGER units_no_delete BEFORE DELETE ON units
BEGIN
  SELECT raise(ABORT, 'units never change');
END;
