-- Ensures that no ledger number is in two live lines of a partner and currency, and that a range begins where a gap
-- begins.
CREATE TRIGGER payout_ranges_apart BEFORE INSERT ON payout_ranges
WHEN new.to_number > (
  SELECT r.from_number FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number > new.from_number
  ORDER BY r.to_number LIMIT 1
) OR new.from_number <> coalesce((
  SELECT g.from_number FROM payout_gaps g
  WHERE g.program_id = new.program_id AND g.currency = new.currency AND g.partner_id = new.partner_id
    AND g.to_number >= new.to_number
  ORDER BY g.to_number LIMIT 1
), 0) OR NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = new.payout_id AND l.partner_id = new.partner_id AND l.state = 'live' AND p.status = 'final'
    AND p.program_id = new.program_id AND p.currency = new.currency AND new.to_number <= p.cut
)
BEGIN
  SELECT raise(ABORT, 'a number is in one live line');
END;

-- Removes the new range from the gaps. 9007199254740991 is above every number: a gap up to it has no end.
CREATE TRIGGER payout_ranges_taken AFTER INSERT ON payout_ranges
BEGIN
  INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
  VALUES (new.program_id, new.currency, new.partner_id, 9007199254740991, 0)
  ON CONFLICT DO NOTHING;

  UPDATE payout_gaps SET from_number = new.to_number
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND from_number = new.from_number AND to_number = (
      SELECT g.to_number FROM payout_gaps g
      WHERE g.program_id = new.program_id AND g.currency = new.currency AND g.partner_id = new.partner_id
        AND g.to_number > new.to_number
      ORDER BY g.to_number LIMIT 1
    );

  DELETE FROM payout_gaps
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND to_number = new.to_number;
END;

-- Makes the deleted range a gap, joined with the gaps directly below and above it.
CREATE TRIGGER payout_ranges_freed AFTER DELETE ON payout_ranges
BEGIN
  INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
  SELECT old.program_id, old.currency, old.partner_id,
    coalesce((
      SELECT iif(g.from_number = old.to_number, g.to_number, NULL) FROM payout_gaps g
      WHERE g.program_id = old.program_id AND g.currency = old.currency AND g.partner_id = old.partner_id
        AND g.to_number > old.to_number
      ORDER BY g.to_number LIMIT 1
    ), old.to_number),
    coalesce((
      SELECT g.from_number FROM payout_gaps g
      WHERE g.program_id = old.program_id AND g.currency = old.currency AND g.partner_id = old.partner_id
        AND g.to_number = old.from_number
    ), old.from_number)
  WHERE true
  ON CONFLICT DO UPDATE SET from_number = excluded.from_number;

  DELETE FROM payout_gaps
  WHERE program_id = old.program_id AND currency = old.currency AND partner_id = old.partner_id
    AND to_number = old.from_number;
END;

-- Rejects updates: `finalize` inserts ranges, and they are deleted only when their line ends.
CREATE TRIGGER payout_ranges_no_update BEFORE UPDATE ON payout_ranges
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;

-- Rejects deletes while the line is live, because its commissions would be paid twice.
CREATE TRIGGER payout_ranges_stay BEFORE DELETE ON payout_ranges
WHEN EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = old.payout_id AND l.partner_id = old.partner_id AND l.state = 'live' AND p.status <> 'canceled'
)
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;

-- When a line ends, reports those of its commissions as reversed that were fully reversed after the line was finalized.
-- While they were in the line, they were shown as approved.
CREATE TRIGGER payout_ranges_end_told AFTER DELETE ON payout_ranges
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT program_id, is_test, 'commission.updated', id,
    json_array(partner_id, 'approved', amount_cents, is_unconfirmed, 0, hold_until, currency),
    json_array(partner_id, status, amount_cents, is_unconfirmed, 0, hold_until, currency)
  FROM commissions WHERE program_id = old.program_id AND is_test = 0 AND currency = old.currency AND partner_id = old.partner_id
    AND payable_number > old.from_number AND payable_number <= old.to_number AND status = 'reversed'
    AND reversed_number > (SELECT finalized_number FROM payouts WHERE id = old.payout_id) ORDER BY id;

  -- The events have the last numbers, in the order of the ids.
  UPDATE commissions SET event_seq = told.seq
  FROM (
    SELECT id, 1 - row_number() OVER (ORDER BY id DESC) + (
      SELECT max(seq) FROM events WHERE program_id = old.program_id AND is_test = 0
    ) AS seq
    FROM commissions WHERE program_id = old.program_id AND is_test = 0 AND currency = old.currency AND partner_id = old.partner_id
    AND payable_number > old.from_number AND payable_number <= old.to_number AND status = 'reversed'
    AND reversed_number > (SELECT finalized_number FROM payouts WHERE id = old.payout_id)
  ) told
  WHERE commissions.id = told.id;
END;
