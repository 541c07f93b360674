-- Rejects deletes, because ledger entries and audit entries refer to the line.
CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
BEGIN
  SELECT raise(ABORT, 'a line is never deleted');
END;

-- Lines can be added only to a draft. A finalized payout keeps the lines that its approver saw.
CREATE TRIGGER payout_lines_of_draft BEFORE INSERT ON payout_lines
WHEN NOT EXISTS (
  SELECT 1 FROM payouts p
  WHERE p.id = new.payout_id AND p.status = 'draft' AND p.program_id = new.program_id AND p.currency = new.currency
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;

-- A line of a final payout must be paid as it was approved. Its state can change only once, to failed. If the payout is
-- settled by API, a live line can be settled once, and a failed line can have one late settlement. If the partner is
-- erased, the line loses the address, the external id and the salt of the evidence, and also the name unless the line
-- is paid. A statement stays marked as mailed, unless its mail is withdrawn before it is sent.
CREATE TRIGGER payout_lines_final BEFORE UPDATE ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status <> 'draft') AND (
  new.id <> old.id OR new.program_id <> old.program_id OR new.payout_id <> old.payout_id
  OR new.partner_id <> old.partner_id OR new.currency <> old.currency
  OR ((
    new.name <> old.name OR new.email IS NOT old.email OR new.external_id IS NOT old.external_id
    OR new.evidence_salt IS NOT old.evidence_salt
  ) AND (
    NOT EXISTS (
      SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.subject = 'partner' AND e.erased_at IS NULL
    ) OR (new.name <> old.name AND old.state = 'live' AND EXISTS (
      SELECT 1 FROM payouts
      WHERE id = old.payout_id AND iif(settled_by = 'api', old.settled_at IS NOT NULL, status = 'paid')
    ))
  ))
  OR new.payment_id IS NOT old.payment_id OR new.amount_cents <> old.amount_cents
  OR new.commissions <> old.commissions OR new.commissions_cents <> old.commissions_cents
  OR new.adjustments_cents <> old.adjustments_cents OR new.before_cents IS NOT old.before_cents
  OR new.reason IS NOT old.reason OR new.evidence IS NOT old.evidence
  OR (new.statement_number IS NOT old.statement_number AND (
    old.statement_number IS NOT NULL
    OR NOT EXISTS (
      SELECT 1 FROM payouts
      WHERE id = old.payout_id AND iif(settled_by = 'api', new.settled_at IS NOT NULL, status = 'paid')
    )
  ))
  OR ((new.settled_at IS NOT old.settled_at OR new.settlement_id IS NOT old.settlement_id) AND (
    old.settled_at IS NOT NULL OR new.settled_at IS NULL
    OR old.state <> 'live' OR new.state <> 'live'
    OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND settled_by = 'api' AND status = 'final')
  ))
  OR ((new.late_settled_at IS NOT old.late_settled_at OR new.late_settlement_id IS NOT old.late_settlement_id) AND (
    old.late_settled_at IS NOT NULL OR new.late_settled_at IS NULL
    OR old.state <> 'failed' OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND settled_by = 'api')
  ))
  OR (new.given_back_number IS NOT old.given_back_number AND (
    old.given_back_number IS NOT NULL OR old.state <> 'live' OR new.state <> 'failed'
  ))
  OR (new.statement_mailed_at IS NOT old.statement_mailed_at AND (
    new.statement_number IS NULL
    OR (old.statement_mailed_at IS NOT NULL AND (new.statement_mailed_at IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM mails m
      WHERE m.payout_line_id = old.id AND m.template <> 'line_failed' AND m.due_at IS NOT NULL
    )))
  ))
  OR (old.state = 'failed' AND (
    new.failed_at <> old.failed_at OR new.failed_by <> old.failed_by OR new.failure_id <> old.failure_id
    OR new.partner_note_id IS NOT old.partner_note_id
  ))
  OR (new.state <> old.state AND (
    old.state <> 'live' OR new.state <> 'failed'
    OR NOT EXISTS (
      SELECT 1 FROM payouts WHERE id = old.payout_id AND iif(
        settled_by = 'api',
        status IN ('final', 'paid') AND (old.settled_at IS NULL) = (new.given_back_number IS NOT NULL),
        status = 'paid' AND new.given_back_number IS NULL
      )
    )
  ))
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;

-- When a line fails, removes it from the live lines. Write-offs and replaced payment details count from the partner's
-- newest live line.
CREATE TRIGGER payout_lines_ended AFTER UPDATE OF state ON payout_lines
WHEN old.state = 'live' AND new.state = 'failed'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND finalized_number = (SELECT p.finalized_number FROM payouts p WHERE p.id = new.payout_id);
END;

-- Reports a failed line, whose amount is payable again.
CREATE TRIGGER payout_lines_told AFTER UPDATE OF state ON payout_lines
WHEN old.state <> 'failed' AND new.state = 'failed'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'payout.line_failed', new.id);
END;

-- If a line is given back without a settlement, moves its amount from `in payout` to `payable`. No ledger entry is
-- needed.
CREATE TRIGGER payout_lines_given_back AFTER UPDATE OF state ON payout_lines
WHEN old.state = 'live' AND new.state = 'failed' AND new.given_back_number IS NOT NULL
BEGIN
  UPDATE partner_balances SET
    payable_cents = payable_cents + new.amount_cents, in_payout_cents = in_payout_cents - new.amount_cents
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id;
END;

-- If a payout is settled by API, an event reports the payment of each line.
CREATE TRIGGER payout_lines_settled AFTER UPDATE OF settled_at ON payout_lines
WHEN old.settled_at IS NULL AND new.settled_at IS NOT NULL
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'payout.line_settled', new.id);
END;
