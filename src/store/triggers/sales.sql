-- Adds each sale to the daily counts, which charts read instead of the sales.
CREATE TRIGGER sales_counted AFTER INSERT ON sales
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, sales, revenue_cents, organic_sales, organic_revenue_cents
  )
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, new.amount_cents),
    new.partner_id IS NULL, iif(new.partner_id IS NULL, new.amount_cents, 0)
  )
  ON CONFLICT DO UPDATE SET
    sales = sales + excluded.sales, revenue_cents = revenue_cents + excluded.revenue_cents,
    organic_sales = organic_sales + excluded.organic_sales,
    organic_revenue_cents = organic_revenue_cents + excluded.organic_revenue_cents;
END;

-- If a sale moves to another partner, counts it for that partner, on the sale's own day.
CREATE TRIGGER sales_moved AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  UPDATE daily_counts SET
    sales = sales - (old.partner_id IS NOT NULL),
    revenue_cents = revenue_cents - iif(old.partner_id IS NULL, 0, old.amount_cents),
    organic_sales = organic_sales - (old.partner_id IS NULL),
    organic_revenue_cents = organic_revenue_cents - iif(old.partner_id IS NULL, old.amount_cents, 0)
  WHERE program_id = old.program_id AND is_test = old.is_test AND day = old.day
    AND partner_id = coalesce(old.partner_id, 0) AND currency = old.currency;
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, sales, revenue_cents, organic_sales, organic_revenue_cents
  )
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, new.amount_cents),
    new.partner_id IS NULL, iif(new.partner_id IS NULL, new.amount_cents, 0)
  )
  ON CONFLICT DO UPDATE SET
    sales = sales + excluded.sales, revenue_cents = revenue_cents + excluded.revenue_cents,
    organic_sales = organic_sales + excluded.organic_sales,
    organic_revenue_cents = organic_revenue_cents + excluded.organic_revenue_cents;
END;

-- Only a sale with an undecided commission may move to another partner, and only if it is credited by browser evidence
-- alone or by a coupon. Only a sale credited by a coupon may lose its partner.
CREATE TRIGGER sales_attribution_stays BEFORE UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NOT old.partner_id AND EXISTS (
  SELECT 1 FROM commissions c
  WHERE c.sale_id = old.id AND c.partner_id IS old.partner_id AND (
    (c.source <> 'coupon' AND (c.is_unconfirmed = 0 OR new.partner_id IS NULL))
    OR c.status IN ('approved', 'rejected') OR c.approved_at IS NOT NULL
  )
)
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;

-- Adds attributed sales to the hourly counts, from which readiness shows the events of the last 24 hours.
CREATE TRIGGER sales_of_the_hour AFTER INSERT ON sales
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET sales = sales + 1;
END;

-- Adds a sale without a partner to the hourly counts once it gets a partner.
CREATE TRIGGER sales_of_the_hour_attributed AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET sales = sales + 1;
END;

-- Removes a sale from the hourly counts if it loses its partner, which can happen to a sale credited by a coupon.
CREATE TRIGGER sales_of_the_hour_left AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  UPDATE recent_hours SET sales = sales - 1
  WHERE program_id = new.program_id AND is_test = new.is_test AND hour = new.occurred_at / 3600000;
END;

-- Removes a sale that a correction replaced from the daily counts, together with its refunds: the refunds that still
-- count are recorded again for the new sale. A corrected sale never changes again. `correction` is 1 for the first
-- correcting sale.
CREATE TRIGGER sales_corrected AFTER INSERT ON sales
WHEN new.corrected_sale_id IS NOT NULL
BEGIN
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, sales, revenue_cents, organic_sales, organic_revenue_cents, corrected_sales
  )
  SELECT
    o.program_id, o.is_test, o.day, coalesce(o.partner_id, 0), o.currency,
    -(o.partner_id IS NOT NULL), iif(o.partner_id IS NULL, 0, -o.amount_cents),
    -(o.partner_id IS NULL), iif(o.partner_id IS NULL, -o.amount_cents, 0), 1
  FROM sales o WHERE o.id = iif(new.correction = 1, new.corrected_sale_id, (
    SELECT p.id FROM sales p WHERE p.corrected_sale_id = new.corrected_sale_id AND p.correction = new.correction - 1
  ))
  ON CONFLICT DO UPDATE SET
    sales = sales + excluded.sales, revenue_cents = revenue_cents + excluded.revenue_cents,
    organic_sales = organic_sales + excluded.organic_sales,
    organic_revenue_cents = organic_revenue_cents + excluded.organic_revenue_cents,
    corrected_sales = corrected_sales + excluded.corrected_sales;
  INSERT INTO daily_counts (
    program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds, uncounted_refunds,
    corrected_refunds
  )
  SELECT
    r.program_id, r.is_test, r.day, coalesce(r.partner_id, 0), r.currency,
    -(r.counted_cents > 0 AND r.partner_id IS NOT NULL), iif(r.partner_id IS NULL, 0, -r.counted_cents),
    -(r.counted_cents > 0 AND r.partner_id IS NULL), -(r.counted_cents = 0), 1
  FROM refunds r WHERE r.sale_id = iif(new.correction = 1, new.corrected_sale_id, (
    SELECT p.id FROM sales p WHERE p.corrected_sale_id = new.corrected_sale_id AND p.correction = new.correction - 1
  ))
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds,
    uncounted_refunds = uncounted_refunds + excluded.uncounted_refunds,
    corrected_refunds = corrected_refunds + excluded.corrected_refunds;
  UPDATE recent_hours SET sales = recent_hours.sales - 1
  FROM sales o WHERE o.id = iif(new.correction = 1, new.corrected_sale_id, (
    SELECT p.id FROM sales p WHERE p.corrected_sale_id = new.corrected_sale_id AND p.correction = new.correction - 1
  ))
    AND o.partner_id IS NOT NULL AND recent_hours.program_id = o.program_id AND recent_hours.is_test = o.is_test
    AND recent_hours.hour = o.occurred_at / 3600000;
END;
