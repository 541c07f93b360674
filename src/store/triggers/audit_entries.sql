-- The audit trail is evidence: not even an operator can rewrite it. Only an erasure removes a person's data from it.
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.operation_id <> old.operation_id
  OR new.actor_id <> old.actor_id OR new.action <> old.action OR new.subject <> old.subject
  OR new.created_at <> old.created_at
  OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.erased_at IS NULL)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- Rejects deletes, because no one would notice that an entry is missing.
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER audit_entries_no_replace BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- When a correction replaces a sale, removes the sale's commission from the daily counts. (Other triggers remove the
-- sale and its refunds.) The correction's audit entry is inserted after all of these rows, and a corrected sale never
-- changes again.
CREATE TRIGGER audit_entries_of_correction AFTER INSERT ON audit_entries
WHEN new.action = 'sale.corrected'
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  SELECT e.program_id, e.is_test, e.day, e.partner_id, e.currency, -e.amount_cents
  FROM commissions c CROSS JOIN ledger_entries e ON e.commission_id = c.id
  WHERE c.sale_id = cast(substr(new.subject, 6) AS integer) AND c.program_id = new.program_id
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
