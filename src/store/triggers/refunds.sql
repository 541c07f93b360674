-- Charts read days, not refunds. One that counts for nothing yet is shown apart.
CREATE TRIGGER refunds_counted AFTER INSERT ON refunds
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds, uncounted_refunds
  )
  SELECT
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    cents > 0 AND new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, cents),
    cents > 0 AND new.partner_id IS NULL, cents = 0
  FROM (SELECT coalesce(new.counted_cents, new.refunded_cents) AS cents)
  WHERE true
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds,
    uncounted_refunds = uncounted_refunds + excluded.uncounted_refunds;
END;

-- A refund that is canceled, covered by others or of another partner leaves its own day's counts, and joins others.
CREATE TRIGGER refunds_recounted AFTER UPDATE OF partner_id, counted_cents ON refunds
WHEN old.partner_id IS NOT new.partner_id OR old.counted_cents IS NOT new.counted_cents
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds, uncounted_refunds
  )
  SELECT
    old.program_id, old.is_test, old.day, coalesce(old.partner_id, 0), old.currency,
    -(cents > 0 AND old.partner_id IS NOT NULL), iif(old.partner_id IS NULL, 0, -cents),
    -(cents > 0 AND old.partner_id IS NULL), -(cents = 0)
  FROM (SELECT coalesce(old.counted_cents, old.refunded_cents) AS cents)
  UNION ALL
  SELECT
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    cents > 0 AND new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, cents),
    cents > 0 AND new.partner_id IS NULL, cents = 0
  FROM (SELECT coalesce(new.counted_cents, new.refunded_cents) AS cents)
  WHERE true
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds,
    uncounted_refunds = uncounted_refunds + excluded.uncounted_refunds;
END;
