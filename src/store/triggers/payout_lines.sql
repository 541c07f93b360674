-- Entries and audit entries refer to it.
CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
BEGIN
  SELECT raise(ABORT, 'a line is never deleted');
END;

-- A finalized payout keeps the lines that its approver saw.
CREATE TRIGGER payout_lines_of_draft BEFORE INSERT ON payout_lines
WHEN NOT EXISTS (
  SELECT 1 FROM payouts p
  WHERE p.id = new.payout_id AND p.status = 'draft' AND p.program_id = new.program_id AND p.currency = new.currency
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;

-- The approved line is the one that is paid. After that a line can only fail, once. An erased partner's lines lose the
-- address, and, unless they were paid, the name.
CREATE TRIGGER payout_lines_final BEFORE UPDATE ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status <> 'draft') AND (
  new.id <> old.id OR new.program_id <> old.program_id OR new.payout_id <> old.payout_id
  OR new.partner_id <> old.partner_id OR new.currency <> old.currency
  OR ((new.name <> old.name OR new.email IS NOT old.email OR new.evidence_salt IS NOT old.evidence_salt) AND (
    NOT EXISTS (
      SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.subject = 'partner' AND e.erased_at IS NULL
    ) OR (new.name <> old.name AND old.state = 'live' AND NOT EXISTS (
      SELECT 1 FROM payouts WHERE id = old.payout_id AND status = 'canceled'
    ))
  ))
  OR new.payment_id IS NOT old.payment_id OR new.amount_cents <> old.amount_cents
  OR new.commissions <> old.commissions OR new.commissions_cents <> old.commissions_cents
  OR new.adjustments_cents <> old.adjustments_cents OR new.before_cents IS NOT old.before_cents
  OR new.reason IS NOT old.reason OR new.evidence IS NOT old.evidence
  OR (new.statement_number IS NOT old.statement_number AND (
    old.statement_number IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status = 'paid')
  ))
  OR (new.statement_mailed_at IS NOT old.statement_mailed_at AND (
    old.statement_mailed_at IS NOT NULL OR new.statement_number IS NULL
  ))
  OR (old.state = 'failed' AND (
    new.failed_at <> old.failed_at OR new.failed_by <> old.failed_by OR new.failure_id <> old.failure_id
    OR new.partner_note_id IS NOT old.partner_note_id
  ))
  OR (new.state <> old.state AND (
    old.state <> 'live' OR new.state <> 'failed'
    OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status = 'paid')
  ))
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;

-- Write-offs and replaced details count from the partner's newest live line, and this one is no longer that.
CREATE TRIGGER payout_lines_ended AFTER UPDATE OF state ON payout_lines
WHEN old.state = 'live' AND new.state = 'failed'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND finalized_number = (SELECT p.finalized_number FROM payouts p WHERE p.id = new.payout_id);
END;

-- The amount is payable again.
CREATE TRIGGER payout_lines_told AFTER UPDATE OF state ON payout_lines
WHEN old.state <> 'failed' AND new.state = 'failed'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'payout.line_failed', new.id);
END;
