-- The audit trail is evidence: not even an operator can rewrite it.
CREATE TRIGGER workspace_audit_entries_no_update BEFORE UPDATE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- Rejects deletes, because no one would notice that an entry is missing.
CREATE TRIGGER workspace_audit_entries_no_delete BEFORE DELETE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER workspace_audit_entries_no_replace BEFORE INSERT ON workspace_audit_entries
WHEN EXISTS (SELECT 1 FROM workspace_audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
