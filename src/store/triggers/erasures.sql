-- A receipt is proof of an erasure, so the only possible change is to end the erasure, once.
CREATE TRIGGER erasures_end_once BEFORE UPDATE ON erasures
WHEN old.erased_at IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.subject <> old.subject
  OR new.customer_ids <> old.customer_ids OR new.requested_by <> old.requested_by OR new.requested_at <> old.requested_at OR new."before" <> old."before"
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;

-- An erasure that takes a single commit ends at the instant of its request. No other call can have changed a sum during
-- the commit. If a sum has changed, the erasure itself is the cause, and is rolled back.
CREATE TRIGGER erasures_keep_sums BEFORE UPDATE OF erased_at ON erasures
WHEN new.erased_at = old.requested_at AND new.after <> old."before"
BEGIN
  SELECT raise(ABORT, 'an erasure changes no sum');
END;

-- Rejects deletes, because a receipt is proof of an erasure.
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;
