-- Lists find the policy in force of each partner without comparing versions.
CREATE TRIGGER commission_policies_latest AFTER INSERT ON commission_policies
BEGIN
  UPDATE commission_policies SET is_latest = 0
  WHERE id = (
    SELECT id FROM commission_policies
    WHERE program_id = new.program_id AND partner_id IS new.partner_id AND group_id IS new.group_id
      AND version < new.version
    ORDER BY effective_from DESC, version DESC LIMIT 1
  );
END;
