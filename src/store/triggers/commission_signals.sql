-- Rejects deletes, because the reasons for a delayed payment are kept permanently.
CREATE TRIGGER commission_signals_no_delete BEFORE DELETE ON commission_signals
BEGIN
  SELECT raise(ABORT, 'signals are kept');
END;

-- A signal can only be ended, and only once. Its evidence names no person, so not even an erasure changes it.
CREATE TRIGGER commission_signals_end_once
BEFORE UPDATE OF commission_id, code, effect, evidence, note_id, partner_id, raised_at, review_until, ended_at, ended_by
ON commission_signals
WHEN old.ended_at IS NOT NULL OR new.ended_at IS NULL OR new.commission_id <> old.commission_id
  OR new.code <> old.code OR new.effect <> old.effect OR new.evidence <> old.evidence
  OR new.note_id IS NOT old.note_id OR new.partner_id IS NOT old.partner_id OR new.raised_at <> old.raised_at
  OR new.review_until IS NOT old.review_until
BEGIN
  SELECT raise(ABORT, 'a signal ends once');
END;
