-- Adds each refund to the daily counts, which charts read instead of the refunds. A refund that reduces no sale is
-- counted separately.
CREATE TRIGGER refunds_counted AFTER INSERT ON refunds
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds, uncounted_refunds
  )
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    new.counted_cents > 0 AND new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, new.counted_cents),
    new.counted_cents > 0 AND new.partner_id IS NULL, new.counted_cents = 0
  )
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds,
    uncounted_refunds = uncounted_refunds + excluded.uncounted_refunds;
END;

-- Updates the counts of the refund's day if the refund is canceled, covered by other refunds, or moved to another
-- partner.
CREATE TRIGGER refunds_recounted AFTER UPDATE OF partner_id, counted_cents ON refunds
WHEN old.partner_id IS NOT new.partner_id OR old.counted_cents <> new.counted_cents
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds, uncounted_refunds
  )
  VALUES (
    old.program_id, old.is_test, old.day, coalesce(old.partner_id, 0), old.currency,
    -(old.counted_cents > 0 AND old.partner_id IS NOT NULL), iif(old.partner_id IS NULL, 0, -old.counted_cents),
    -(old.counted_cents > 0 AND old.partner_id IS NULL), -(old.counted_cents = 0)
  ), (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    new.counted_cents > 0 AND new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, new.counted_cents),
    new.counted_cents > 0 AND new.partner_id IS NULL, new.counted_cents = 0
  )
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds,
    uncounted_refunds = uncounted_refunds + excluded.uncounted_refunds;
END;

-- Reports each refund call. A call that cancels or restores an earlier refund is reported as an update.
CREATE TRIGGER refunds_told AFTER INSERT ON refunds
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (
    new.program_id, new.is_test,
    iif(new.status = 'restored' OR new.asked IN ('cancel', 'cancel_total'), 'refund.updated', 'refund.recorded'),
    new.id, json_array(new.partner_id, new.status)
  );
END;
