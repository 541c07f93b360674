-- Rules that only the database can hold against every writer, and the counts that belong to an event's own transaction.

-- The fence: a batch begins with an update of its writer's row, and only the newest epoch, in the order of its
-- sequence, gets past. A batch sent twice and a writer that was superseded fail whole.
CREATE TRIGGER ledger_writers_fence BEFORE UPDATE ON ledger_writers
WHEN NOT (new.epoch > old.epoch OR (new.epoch = old.epoch AND new.seq = old.seq + 1))
BEGIN
  SELECT raise(ABORT, 'fenced');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_writers_stay BEFORE DELETE ON ledger_writers
BEGIN
  SELECT raise(ABORT, 'a writer row is never deleted');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
-- `insert or replace` removes a row without the trigger above hearing of it.
CREATE TRIGGER ledger_entries_no_replace BEFORE INSERT ON ledger_entries
WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE id = new.id)
  OR (new.kind = 'earned' AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE commission_id = new.commission_id AND kind = 'earned'
  ))
  OR (new.refund_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE refund_id = new.refund_id AND refund_id IS NOT NULL
  ))
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.kind <> 'paid'
BEGIN
  UPDATE commissions SET amount_cents = amount_cents + new.amount_cents WHERE id = new.commission_id;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, new.amount_cents)
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
--> statement-breakpoint
-- A click whose caller's event id stands for an earlier click is that click: nothing is added.
CREATE TRIGGER clicks_once BEFORE INSERT ON clicks
WHEN new.event_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM click_events e
  WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.event_id = new.event_id
    AND e.click_id <> new.click_id
)
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
CREATE TRIGGER clicks_counted AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch)
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, clicks, unique_clicks)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1,
    NOT EXISTS (
      SELECT 1 FROM clicks c
      WHERE c.visitor = new.visitor AND c.partner_id IS new.partner_id AND c.id <> new.id
        AND NOT (c.is_bot OR c.is_prefetch)
    )
  )
  ON CONFLICT DO UPDATE SET clicks = clicks + 1, unique_clicks = unique_clicks + excluded.unique_clicks;
END;
--> statement-breakpoint
CREATE TRIGGER clicks_uncounted AFTER INSERT ON clicks
WHEN new.is_bot OR new.is_prefetch
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, uncounted_clicks)
  VALUES (new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1)
  ON CONFLICT DO UPDATE SET uncounted_clicks = uncounted_clicks + 1;
END;
--> statement-breakpoint
CREATE TRIGGER leads_counted AFTER INSERT ON leads
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, leads, unattributed_leads)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '',
    new.partner_id IS NOT NULL, new.partner_id IS NULL
  )
  ON CONFLICT DO UPDATE SET
    leads = leads + excluded.leads, unattributed_leads = unattributed_leads + excluded.unattributed_leads;
END;
--> statement-breakpoint
-- A lead that moves takes its count along, on its own day.
CREATE TRIGGER leads_moved AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  UPDATE daily_counts
  SET leads = leads - (old.partner_id IS NOT NULL), unattributed_leads = unattributed_leads - (old.partner_id IS NULL)
  WHERE program_id = old.program_id AND is_test = old.is_test AND day = old.day
    AND partner_id = coalesce(old.partner_id, 0) AND currency = '';
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, leads, unattributed_leads)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '',
    new.partner_id IS NOT NULL, new.partner_id IS NULL
  )
  ON CONFLICT DO UPDATE SET
    leads = leads + excluded.leads, unattributed_leads = unattributed_leads + excluded.unattributed_leads;
END;
--> statement-breakpoint
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
--> statement-breakpoint
-- A sale is attributed late at most once, and never goes back: the lock of its customer.
CREATE TRIGGER sales_attributed_late AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL
BEGIN
  UPDATE daily_counts
  SET organic_sales = organic_sales - 1, organic_revenue_cents = organic_revenue_cents - old.amount_cents
  WHERE program_id = old.program_id AND is_test = old.is_test AND day = old.day
    AND partner_id = 0 AND currency = old.currency;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, sales, revenue_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, 1, new.amount_cents)
  ON CONFLICT DO UPDATE SET sales = sales + 1, revenue_cents = revenue_cents + excluded.revenue_cents;
END;
--> statement-breakpoint
CREATE TRIGGER sales_attribution_stays BEFORE UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NOT old.partner_id
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;
--> statement-breakpoint
CREATE TRIGGER refunds_counted AFTER INSERT ON refunds
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, refunds, refunded_cents, organic_refunds)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), new.currency,
    new.partner_id IS NOT NULL, iif(new.partner_id IS NULL, 0, new.refunded_cents), new.partner_id IS NULL
  )
  ON CONFLICT DO UPDATE SET
    refunds = refunds + excluded.refunds, refunded_cents = refunded_cents + excluded.refunded_cents,
    organic_refunds = organic_refunds + excluded.organic_refunds;
END;
--> statement-breakpoint
CREATE TRIGGER refunds_attributed_late AFTER UPDATE OF partner_id ON refunds
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL
BEGIN
  UPDATE daily_counts SET organic_refunds = organic_refunds - 1
  WHERE program_id = old.program_id AND is_test = old.is_test AND day = old.day
    AND partner_id = 0 AND currency = old.currency;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, refunds, refunded_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, 1, new.refunded_cents)
  ON CONFLICT DO UPDATE SET refunds = refunds + 1, refunded_cents = refunded_cents + excluded.refunded_cents;
END;
