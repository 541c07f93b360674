-- Clears `is_latest` of the owner's previous version, so that lists find the newest version without comparing versions.
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

-- A program's sales are counted once it has a policy with tiers. The counted sales are those that may still be
-- corrected or reported late: the sales since January 1 of the year of the day 400 days ago. The counts of a new
-- version's periods are then compared with its thresholds.
CREATE TRIGGER commission_policies_tiered AFTER INSERT ON commission_policies
WHEN new.tiers IS NOT NULL
BEGIN
  INSERT INTO tier_books (program_id, is_test, counted_from, count_from, scanned_to, scan_from)
  SELECT new.program_id, b.is_test, 9007199254740991,
    unixepoch(new.effective_from / 1000 - 400 * 86400, 'unixepoch', 'start of year') * 1000 - 86400000, 0,
    strftime(iif(new.tiers ->> 'period' = 'month', '%Y-%m', '%Y-01'), new.effective_from / 1000 - 86400, 'unixepoch')
  FROM (SELECT 0 AS is_test UNION ALL SELECT 1) b WHERE true
  ON CONFLICT DO UPDATE SET
    scan_from = iif(scanned_to IS NULL, excluded.scan_from, min(scan_from, excluded.scan_from)), scanned_to = 0;
END;
