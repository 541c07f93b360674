CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

CREATE TRIGGER audit_entries_no_replace BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = new.id)
  OR EXISTS (SELECT 1 FROM audit_entries WHERE operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
