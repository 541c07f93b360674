-- The audit trail is evidence: not even an operator can rewrite it.
CREATE TRIGGER workspace_audit_entries_no_update BEFORE UPDATE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- No one would notice a deleted entry.
CREATE TRIGGER workspace_audit_entries_no_delete BEFORE DELETE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;

-- `insert or replace` deletes the rows of the same id or unique key without running delete triggers.
CREATE TRIGGER workspace_audit_entries_no_replace BEFORE INSERT ON workspace_audit_entries
WHEN EXISTS (SELECT 1 FROM workspace_audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
