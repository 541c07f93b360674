-- Sales were decided by it.
CREATE TRIGGER group_memberships_no_update BEFORE UPDATE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;

-- The group before it would count again.
CREATE TRIGGER group_memberships_no_delete BEFORE DELETE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;

-- `insert or replace` deletes the row of the same key, and no delete trigger hears of it.
CREATE TRIGGER group_memberships_no_replace BEFORE INSERT ON group_memberships
WHEN EXISTS (
  SELECT 1 FROM group_memberships
  WHERE program_id = new.program_id AND partner_id = new.partner_id AND effective_from >= new.effective_from
)
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;
