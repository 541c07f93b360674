-- The event stores no name or address: the feed reads the current ones. It never contains payment details.
CREATE TRIGGER partners_created_told AFTER INSERT ON partners
WHEN NOT new.is_synthetic
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (
    new.program_id, 0, 'partner.created', new.id, json_array(new.status, new.external_id, new.is_risk_exempt, NULL)
  );
END;

-- Reports changes of the fields that callers can see.
CREATE TRIGGER partners_updated_told AFTER UPDATE OF name, email, status, external_id, is_risk_exempt ON partners
WHEN NOT new.is_synthetic AND (
  old.name <> new.name OR old.email IS NOT new.email OR old.status <> new.status
  OR old.external_id IS NOT new.external_id OR old.is_risk_exempt <> new.is_risk_exempt
)
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, 0, 'partner.updated', new.id,
    json_array(old.status, old.external_id, old.is_risk_exempt, g.id),
    json_array(new.status, new.external_id, new.is_risk_exempt, g.id)
  FROM (
    SELECT (
      SELECT m.group_id FROM group_memberships m WHERE m.program_id = new.program_id AND m.partner_id = new.id
      ORDER BY m.effective_from DESC LIMIT 1
    ) AS id
  ) g;
END;

-- Ensures that erased data stays erased, and that an erased partner stays paused and no longer earns.
CREATE TRIGGER partners_erased_for_good BEFORE UPDATE ON partners
WHEN old.erasure_id IS NOT NULL AND (
  new.erasure_id IS NOT old.erasure_id OR new.name <> old.name OR new.status <> old.status
  OR coalesce(new.email, new.email_hash, new.similar_hash, new.external_id) IS NOT NULL
)
BEGIN
  SELECT raise(ABORT, 'an erased partner stays erased');
END;
