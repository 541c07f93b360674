-- A receipt is proof: it can only be ended, once.
CREATE TRIGGER erasures_end_once BEFORE UPDATE ON erasures
WHEN old.erased_at IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.subject <> old.subject
  OR new.customer_ids <> old.customer_ids OR new.requested_by <> old.requested_by OR new.requested_at <> old.requested_at OR new."before" <> old."before"
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;

-- An erasure in a single commit ends at the instant of its request. A commit is isolated, so only the erasure can have
-- changed a sum. If a sum has changed, the erasure is undone.
CREATE TRIGGER erasures_keep_sums BEFORE UPDATE OF erased_at ON erasures
WHEN new.erased_at = old.requested_at AND new.after <> old."before"
BEGIN
  SELECT raise(ABORT, 'an erasure changes no sum');
END;

-- A receipt can't be deleted.
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;
