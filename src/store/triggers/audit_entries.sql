-- The trail is evidence: not even an operator rewrites it.
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- A gap in the trail would go unseen.
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
CREATE TRIGGER audit_entries_no_replace BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
