ALTER TABLE `daily_counts` ADD `corrected_sales` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `daily_counts` ADD `corrected_refunds` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Sales that a correction replaced, their refunds and their commissions leave the counts of their days and hours.
UPDATE daily_counts SET
  sales = daily_counts.sales - c.sales, revenue_cents = daily_counts.revenue_cents - c.revenue_cents,
  organic_sales = daily_counts.organic_sales - c.organic_sales, organic_revenue_cents = daily_counts.organic_revenue_cents - c.organic_revenue_cents,
  corrected_sales = c.corrected_sales
FROM (
  SELECT
    o.program_id, o.is_test, o.day, coalesce(o.partner_id, 0) AS partner_id, o.currency, count(*) AS corrected_sales,
    sum(o.partner_id IS NOT NULL) AS sales, sum(iif(o.partner_id IS NULL, 0, o.amount_cents)) AS revenue_cents,
    sum(o.partner_id IS NULL) AS organic_sales, sum(iif(o.partner_id IS NULL, o.amount_cents, 0)) AS organic_revenue_cents
  FROM sales n JOIN sales o ON o.id = coalesce(
    (SELECT p.id FROM sales p WHERE p.corrected_sale_id = n.corrected_sale_id AND p.correction = n.correction - 1),
    n.corrected_sale_id
  )
  WHERE n.corrected_sale_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5
) c
WHERE daily_counts.program_id = c.program_id AND daily_counts.is_test = c.is_test AND daily_counts.day = c.day
  AND daily_counts.partner_id = c.partner_id AND daily_counts.currency = c.currency;
--> statement-breakpoint
UPDATE daily_counts SET
  refunds = daily_counts.refunds - c.refunds, refunded_cents = daily_counts.refunded_cents - c.refunded_cents,
  organic_refunds = daily_counts.organic_refunds - c.organic_refunds, uncounted_refunds = daily_counts.uncounted_refunds - c.uncounted_refunds,
  corrected_refunds = c.corrected_refunds
FROM (
  SELECT
    r.program_id, r.is_test, r.day, coalesce(r.partner_id, 0) AS partner_id, r.currency, count(*) AS corrected_refunds,
    sum(r.counted_cents > 0 AND r.partner_id IS NOT NULL) AS refunds,
    sum(iif(r.partner_id IS NULL, 0, r.counted_cents)) AS refunded_cents,
    sum(r.counted_cents > 0 AND r.partner_id IS NULL) AS organic_refunds, sum(r.counted_cents = 0) AS uncounted_refunds
  FROM sales n JOIN refunds r ON r.sale_id = coalesce(
    (SELECT p.id FROM sales p WHERE p.corrected_sale_id = n.corrected_sale_id AND p.correction = n.correction - 1),
    n.corrected_sale_id
  )
  WHERE n.corrected_sale_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5
) c
WHERE daily_counts.program_id = c.program_id AND daily_counts.is_test = c.is_test AND daily_counts.day = c.day
  AND daily_counts.partner_id = c.partner_id AND daily_counts.currency = c.currency;
--> statement-breakpoint
UPDATE daily_counts SET commission_cents = daily_counts.commission_cents - c.commission_cents
FROM (
  SELECT e.program_id, e.is_test, e.day, e.partner_id, e.currency, sum(e.amount_cents) AS commission_cents
  FROM sales n JOIN commissions m ON m.sale_id = coalesce(
    (SELECT p.id FROM sales p WHERE p.corrected_sale_id = n.corrected_sale_id AND p.correction = n.correction - 1),
    n.corrected_sale_id
  ) JOIN ledger_entries e ON e.commission_id = m.id
  WHERE n.corrected_sale_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5
) c
WHERE daily_counts.program_id = c.program_id AND daily_counts.is_test = c.is_test AND daily_counts.day = c.day
  AND daily_counts.partner_id = c.partner_id AND daily_counts.currency = c.currency;
--> statement-breakpoint
UPDATE recent_hours SET sales = recent_hours.sales - c.sales
FROM (
  SELECT o.program_id, o.is_test, o.occurred_at / 3600000 AS hour, count(*) AS sales
  FROM sales n JOIN sales o ON o.id = coalesce(
    (SELECT p.id FROM sales p WHERE p.corrected_sale_id = n.corrected_sale_id AND p.correction = n.correction - 1),
    n.corrected_sale_id
  )
  WHERE n.corrected_sale_id IS NOT NULL AND o.partner_id IS NOT NULL GROUP BY 1, 2, 3
) c
WHERE recent_hours.program_id = c.program_id AND recent_hours.is_test = c.is_test AND recent_hours.hour = c.hour;
