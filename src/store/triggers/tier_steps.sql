-- Rejects updates, because a step has decided sales, and their explanations show it.
CREATE TRIGGER tier_steps_no_update BEFORE UPDATE ON tier_steps
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;

-- Rejects deletes: without this row, the previous step would apply again.
CREATE TRIGGER tier_steps_no_delete BEFORE DELETE ON tier_steps
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;

-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers. Also
-- rejects a step with a lower number than the newest one, because it would never apply.
CREATE TRIGGER tier_steps_no_replace BEFORE INSERT ON tier_steps
WHEN EXISTS (
  SELECT 1 FROM tier_steps
  WHERE policy_id = new.policy_id AND partner_id = new.partner_id AND is_test = new.is_test AND period = new.period
    AND number >= new.number
)
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;
