-- A program's sales are counted once it has a bonus. The counts of the bonus's periods are then compared with its
-- threshold. See commission_policies_tiered for the sales that are counted.
CREATE TRIGGER bonuses_counted AFTER INSERT ON bonuses
BEGIN
  INSERT INTO tier_books (program_id, is_test, counted_from, count_from, scanned_to, scan_from)
  VALUES (
    new.program_id, 0, 9007199254740991,
    unixepoch(new.created_at / 1000 - 400 * 86400, 'unixepoch', 'start of year') * 1000 - 86400000, 0,
    iif(new.period = 'month', new.from_period, substr(new.from_period, 1, 4) || '-01')
  )
  ON CONFLICT DO UPDATE SET
    scan_from = iif(scanned_to IS NULL, excluded.scan_from, min(scan_from, excluded.scan_from)), scanned_to = 0;
END;

-- Rejects updates, because partners have earned by these terms, and awards refer to them. Only the last period and,
-- after that, the dismissal can be set, each once.
CREATE TRIGGER bonuses_no_update BEFORE UPDATE ON bonuses
WHEN old.dismissed_at IS NOT NULL OR new.until_period IS NULL
  OR iif(old.until_period IS NULL, new.dismissed_at IS NOT NULL,
    new.dismissed_at IS NULL OR new.until_period <> old.until_period)
  OR (
    new.id, new.program_id, new.metric, new.period, new.threshold, new.sales_currency, new.amount_cents, new.currency,
    new.from_period, new.created_at
  ) IS NOT (
    old.id, old.program_id, old.metric, old.period, old.threshold, old.sales_currency, old.amount_cents, old.currency,
    old.from_period, old.created_at
  )
BEGIN
  SELECT raise(ABORT, 'bonuses never change');
END;

-- Rejects deletes, because the adjustments that award the bonus refer to its row.
CREATE TRIGGER bonuses_no_delete BEFORE DELETE ON bonuses
BEGIN
  SELECT raise(ABORT, 'bonuses never change');
END;

-- Rejects `insert or replace`, which would delete the row with the same id without running delete triggers.
CREATE TRIGGER bonuses_no_replace BEFORE INSERT ON bonuses
WHEN EXISTS (SELECT 1 FROM bonuses WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'bonuses never change');
END;
