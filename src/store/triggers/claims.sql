-- Reports the claim to the team by an event, and adds it to the number of open claims, which is limited.
CREATE TRIGGER claims_opened AFTER INSERT ON claims
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.claim_opened', new.id);
  INSERT INTO claim_counts (program_id, open) VALUES (new.program_id, 1)
  ON CONFLICT (program_id) DO UPDATE SET open = claim_counts.open + 1;
END;

-- A decided claim no longer counts towards the limit on open claims.
CREATE TRIGGER claims_closed AFTER UPDATE OF status ON claims
WHEN old.status = 'open' AND new.status <> 'open'
BEGIN
  UPDATE claim_counts SET open = open - 1 WHERE program_id = new.program_id;
END;

-- A claim is decided only once. After that, only its texts can be removed.
CREATE TRIGGER claims_decided_once BEFORE UPDATE ON claims
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.partner_id <> old.partner_id OR new.day <> old.day
  OR new.amount_cents IS NOT old.amount_cents OR new.currency IS NOT old.currency
  OR new.reference_id IS NOT old.reference_id OR new.note_id IS NOT old.note_id OR new.created_at <> old.created_at
  OR (new.digest IS NOT NULL AND new.digest IS NOT old.digest)
  OR (old.status <> 'open' AND (new.status <> old.status OR new.sale_id IS NOT old.sale_id
    OR new.pays_past <> old.pays_past OR new.partner_note_id IS NOT old.partner_note_id
    OR new.decided_at <> old.decided_at OR new.has_texts > old.has_texts))
BEGIN
  SELECT raise(ABORT, 'a claim is decided once');
END;

-- Rejects deletes, because audit entries and events refer to the claim.
CREATE TRIGGER claims_no_delete BEFORE DELETE ON claims
BEGIN
  SELECT raise(ABORT, 'claims are never deleted');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER claims_no_replace BEFORE INSERT ON claims
WHEN EXISTS (SELECT 1 FROM claims WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'claims are never deleted');
END;
