-- Rejects updates, because sales were decided by the partner's group at the time.
CREATE TRIGGER group_memberships_no_update BEFORE UPDATE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;

-- Rejects deletes: without the row, the partner would be in the previous group again.
CREATE TRIGGER group_memberships_no_delete BEFORE DELETE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;

-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers. Also
-- rejects a row from before the newest one, because it would change the partner's group in the past.
CREATE TRIGGER group_memberships_no_replace BEFORE INSERT ON group_memberships
WHEN EXISTS (
  SELECT 1 FROM group_memberships
  WHERE program_id = new.program_id AND partner_id = new.partner_id AND effective_from >= new.effective_from
)
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;

-- Reports the new group as a changed field of the partner.
CREATE TRIGGER group_memberships_told AFTER INSERT ON group_memberships
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, 0, 'partner.updated', p.id,
    json_array(p.status, p.external_id, p.is_risk_exempt, (
      SELECT m.group_id FROM group_memberships m
      WHERE m.program_id = new.program_id AND m.partner_id = p.id AND m.effective_from < new.effective_from
      ORDER BY m.effective_from DESC LIMIT 1
    )),
    json_array(p.status, p.external_id, p.is_risk_exempt, new.group_id)
  FROM partners p WHERE p.id = new.partner_id;
END;

-- The new group's policy may have tiers, so the counts are compared with its thresholds.
CREATE TRIGGER group_memberships_tiered AFTER INSERT ON group_memberships
BEGIN
  UPDATE tier_counts SET is_due = 1
  WHERE program_id = new.program_id AND is_test IN (0, 1) AND partner_id = new.partner_id
    AND month >= strftime('%Y-01', new.effective_from / 1000 - 86400, 'unixepoch');
END;
