-- Two live lines of a partner and currency never hold the same number.
CREATE TRIGGER payout_ranges_apart BEFORE INSERT ON payout_ranges
WHEN EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number > new.from_number AND r.from_number < new.to_number
) OR NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = new.payout_id AND l.partner_id = new.partner_id AND l.state = 'live' AND p.status = 'final'
    AND p.program_id = new.program_id AND p.currency = new.currency AND new.to_number <= p.cut
)
BEGIN
  SELECT raise(ABORT, 'a number is in one live line');
END;

-- Finalize inserts ranges, and only the end of their line deletes them.
CREATE TRIGGER payout_ranges_no_update BEFORE UPDATE ON payout_ranges
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;

-- Without its range, a live line's commissions would be paid twice.
CREATE TRIGGER payout_ranges_stay BEFORE DELETE ON payout_ranges
WHEN EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = old.payout_id AND l.partner_id = old.partner_id AND l.state = 'live' AND p.status <> 'canceled'
)
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;
