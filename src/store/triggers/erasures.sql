-- A receipt is proof: it ends once, and nothing else of it changes.
CREATE TRIGGER erasures_end_once BEFORE UPDATE ON erasures
WHEN old.erased_at IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.subject <> old.subject
  OR new.requested_by <> old.requested_by OR new.requested_at <> old.requested_at OR new."before" <> old."before"
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;

CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;
