CREATE TABLE `click_event_ids` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`link_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`click_id` text NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `link_id`, `event_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO click_event_ids (program_id, is_test, link_id, event_id, click_id, recorded_at)
SELECT e.program_id, e.is_test, coalesce(c.link_id, 0), e.event_id, e.click_id, e.recorded_at
FROM click_events e JOIN clicks c ON c.click_id = e.click_id;
--> statement-breakpoint
DROP TRIGGER clicks_once;
--> statement-breakpoint
-- A click whose event id, on its link, stands for an earlier click is that click: nothing is added.
CREATE TRIGGER clicks_once BEFORE INSERT ON clicks
WHEN new.event_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM click_event_ids e
  WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.link_id = coalesce(new.link_id, 0)
    AND e.event_id = new.event_id AND e.click_id <> new.click_id
)
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
ALTER TABLE programs ADD COLUMN window_until text NOT NULL DEFAULT 'lead'
  CONSTRAINT "programs_window_until" CHECK (window_until in ('lead', 'first_sale'));
--> statement-breakpoint
ALTER TABLE customers ADD COLUMN window_until text;
--> statement-breakpoint
ALTER TABLE customers ADD COLUMN bound_at integer;
--> statement-breakpoint
ALTER TABLE customers ADD COLUMN bound_by text
  CONSTRAINT "customers_bound" CHECK ((bound_at is null) = (bound_by is null));
--> statement-breakpoint
ALTER TABLE customers ADD COLUMN confirmed_at integer;
--> statement-breakpoint
ALTER TABLE customers ADD COLUMN one_time_commission_id integer;
--> statement-breakpoint
UPDATE customers SET
  window_until = 'lead',
  bound_at = coalesce((SELECT l.occurred_at FROM leads l WHERE l.customer_id = customers.id), first_sale_at, created_at),
  bound_by = iif(first_sale_at IS NULL OR EXISTS (SELECT 1 FROM leads l WHERE l.customer_id = customers.id), 'lead', 'sale'),
  confirmed_at = iif(evidence = 'key', created_at, NULL),
  one_time_commission_id = (
    SELECT c.id FROM sales s JOIN commissions c ON c.sale_id = s.id
    WHERE s.customer_id = customers.id AND c.status NOT IN ('void', 'reversed')
    ORDER BY s.occurred_at, s.id LIMIT 1
  )
WHERE partner_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `pending_moves` (
	`customer_id` integer PRIMARY KEY NOT NULL,
	`after_occurred_at` integer NOT NULL,
	`after_sale_id` integer NOT NULL,
	`is_partner_active` integer NOT NULL,
	`is_program_active` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP INDEX sales_customer;
--> statement-breakpoint
CREATE INDEX `sales_customer` ON `sales` (`customer_id`,`occurred_at`);
--> statement-breakpoint
CREATE INDEX `sales_subscription` ON `sales` (`program_id`,`is_test`,`subscription_id`,`occurred_at`) WHERE subscription_id is not null;
--> statement-breakpoint
ALTER TABLE commissions ADD COLUMN approved_at integer;
--> statement-breakpoint
ALTER TABLE commissions ADD COLUMN approved_by text
  CONSTRAINT "commissions_approval" CHECK ((approved_at is null) = (approved_by is null));
--> statement-breakpoint
UPDATE commissions SET approved_by = 'person', approved_at = a.at
FROM (
  SELECT cast(substr(subject, 12) AS integer) AS id, program_id, min(created_at) AS at FROM audit_entries
  WHERE action = 'commission.approved' GROUP BY 1, 2
) a
WHERE commissions.id = a.id AND commissions.program_id = a.program_id;
--> statement-breakpoint
UPDATE customers SET confirmed_at = (
  SELECT min(c.approved_at) FROM sales s JOIN commissions c ON c.sale_id = s.id
  WHERE s.customer_id = customers.id AND c.approved_by = 'person'
)
WHERE evidence = 'browser';
--> statement-breakpoint
-- What a person approved is confirmed, and with it all that the customer has earned.
UPDATE commissions SET is_unconfirmed = 0
WHERE is_unconfirmed = 1 AND EXISTS (
  SELECT 1 FROM sales s JOIN customers u ON u.id = s.customer_id
  WHERE s.id = commissions.sale_id AND u.partner_id IS commissions.partner_id AND u.confirmed_at IS NOT NULL
);
--> statement-breakpoint
UPDATE commissions SET approved_by = 'hold', approved_at = max(hold_until, created_at)
WHERE status IN ('approved', 'paid') AND approved_at IS NULL;
--> statement-breakpoint
UPDATE commissions SET is_unconfirmed = 1
WHERE status = 'void' AND partner_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM sales s JOIN customers u ON u.id = s.customer_id
  WHERE s.id = commissions.sale_id AND u.evidence = 'browser' AND u.confirmed_at IS NULL
);
--> statement-breakpoint
CREATE TABLE `__new_refunds` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`sale_id` integer NOT NULL,
	`operation_id` text NOT NULL,
	`refund_id` text,
	`asked` text NOT NULL,
	`told_cents` integer,
	`charge_total_cents` integer,
	`told_at` integer,
	`refunded_cents` integer NOT NULL,
	`refunded_total_cents` integer NOT NULL,
	`commission_reversed_cents` integer NOT NULL,
	`commission_amount_cents` integer NOT NULL,
	`status` text NOT NULL,
	`outcome_reason` text,
	`reason` text,
	`counted_cents` integer,
	`currency` text NOT NULL,
	`partner_id` integer,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refunds_asked" CHECK(case when "__new_refunds"."asked" in ('cancel', 'cancel_total') then "__new_refunds"."refund_id" is not null else "__new_refunds"."asked" in ('rest', 'amount', 'total') end),
	CONSTRAINT "refunds_told" CHECK("__new_refunds"."told_cents" is null or ("__new_refunds"."told_cents" >= 0 and "__new_refunds"."asked" not in ('rest', 'cancel'))),
	CONSTRAINT "refunds_total" CHECK("__new_refunds"."refunded_total_cents" >= 0),
	CONSTRAINT "refunds_counted" CHECK("__new_refunds"."counted_cents" >= 0),
	CONSTRAINT "refunds_status" CHECK("__new_refunds"."status" in ('refunded', 'reversed', 'no_commission', 'restored', 'skipped'))
) STRICT;
--> statement-breakpoint
INSERT INTO __new_refunds (
  id, program_id, is_test, sale_id, operation_id, refund_id, asked, told_cents, refunded_cents, refunded_total_cents,
  commission_reversed_cents, commission_amount_cents, status, reason, counted_cents, currency, partner_id, occurred_at,
  created_at, day
)
SELECT id, program_id, is_test, sale_id, operation_id, refund_id,
  -- Totals were of the whole sale, whatever the id: but for an id that stood alone, what each added is an amount.
  CASE WHEN asked = 'total' AND (refund_id IS NULL OR refunded_cents <> refunded_total_cents) THEN 'amount' ELSE asked END,
  iif(asked = 'rest', NULL, refunded_cents),
  refunded_cents, refunded_total_cents, commission_reversed_cents, commission_amount_cents, status, reason,
  refunded_cents, currency, partner_id, occurred_at, created_at, day
FROM refunds;
--> statement-breakpoint
CREATE TABLE `__new_ledger_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`commission_id` integer,
	`partner_id` integer NOT NULL,
	`kind` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`refund_id` integer,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`commission_id`) REFERENCES `commissions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`refund_id`) REFERENCES `__new_refunds`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_entries_sign" CHECK(case when "__new_ledger_entries"."kind" in ('earned', 'restored', 'returned') then "__new_ledger_entries"."amount_cents" >= 0 when "__new_ledger_entries"."kind" in ('reversed', 'rejected', 'paid') then "__new_ledger_entries"."amount_cents" <= 0 else "__new_ledger_entries"."kind" in ('moved', 'adjusted') end),
	CONSTRAINT "ledger_entries_refund" CHECK(("__new_ledger_entries"."kind" in ('reversed', 'restored')) = ("__new_ledger_entries"."refund_id" is not null)),
	CONSTRAINT "ledger_entries_of_commission" CHECK(("__new_ledger_entries"."kind" in ('adjusted', 'paid', 'returned')) = ("__new_ledger_entries"."commission_id" is null))
) STRICT;
--> statement-breakpoint
-- Entries had the instants of their calls; a posting rises with the id.
INSERT INTO __new_ledger_entries (
  id, program_id, is_test, commission_id, partner_id, kind, amount_cents, currency, refund_id, occurred_at, created_at, day
)
SELECT id, program_id, is_test, commission_id, partner_id, kind, amount_cents, currency, refund_id, occurred_at,
  max(created_at) OVER (ORDER BY id), day
FROM ledger_entries;
--> statement-breakpoint
DROP TABLE ledger_entries;
--> statement-breakpoint
DROP TABLE refunds;
--> statement-breakpoint
ALTER TABLE __new_refunds RENAME TO refunds;
--> statement-breakpoint
ALTER TABLE __new_ledger_entries RENAME TO ledger_entries;
--> statement-breakpoint
CREATE INDEX `ledger_entries_commission` ON `ledger_entries` (`commission_id`) WHERE commission_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_earned` ON `ledger_entries` (`commission_id`) WHERE kind = 'earned';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_rejected` ON `ledger_entries` (`commission_id`) WHERE kind = 'rejected';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_moved` ON `ledger_entries` (`commission_id`,`partner_id`) WHERE kind = 'moved';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_refunded` ON `ledger_entries` (`refund_id`) WHERE refund_id is not null;
--> statement-breakpoint
CREATE INDEX `refunds_sale` ON `refunds` (`sale_id`);
--> statement-breakpoint
CREATE INDEX `refunds_recent` ON `refunds` (`program_id`,`is_test`,`occurred_at`,`partner_id`);
--> statement-breakpoint
ALTER TABLE daily_counts ADD COLUMN uncounted_refunds integer NOT NULL DEFAULT 0;
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
-- `insert or replace` removes the rows that a unique index names without the trigger above hearing of it.
CREATE TRIGGER ledger_entries_no_replace BEFORE INSERT ON ledger_entries
WHEN EXISTS (SELECT 1 FROM ledger_entries WHERE id = new.id)
  OR (new.kind = 'earned' AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE commission_id = new.commission_id AND kind = 'earned'
  ))
  OR (new.kind = 'rejected' AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE commission_id = new.commission_id AND kind = 'rejected'
  ))
  OR (new.kind = 'moved' AND EXISTS (
    SELECT 1 FROM ledger_entries
    WHERE commission_id = new.commission_id AND partner_id = new.partner_id AND kind = 'moved'
  ))
  OR (new.refund_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE refund_id = new.refund_id AND refund_id IS NOT NULL
  ))
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL
BEGIN
  UPDATE commissions SET amount_cents = amount_cents + new.amount_cents WHERE id = new.commission_id;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, new.amount_cents)
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
--> statement-breakpoint
DROP TRIGGER sales_attributed_late;
--> statement-breakpoint
-- A sale that changes partner takes its counts along, on its own day.
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
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, sales, revenue_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, 1, new.amount_cents)
  ON CONFLICT DO UPDATE SET sales = sales + 1, revenue_cents = revenue_cents + excluded.revenue_cents;
END;
--> statement-breakpoint
DROP TRIGGER sales_attribution_stays;
--> statement-breakpoint
-- What rests on a browser's evidence alone may move to another partner; what is confirmed, approved, rejected or paid never.
CREATE TRIGGER sales_attribution_stays BEFORE UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NOT old.partner_id AND (
  new.partner_id IS NULL OR EXISTS (
    SELECT 1 FROM commissions c
    WHERE c.sale_id = old.id AND c.partner_id IS old.partner_id
      AND (c.is_unconfirmed = 0 OR c.status IN ('approved', 'rejected', 'paid'))
  )
)
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;
--> statement-breakpoint
CREATE TRIGGER commissions_attribution_stays BEFORE UPDATE OF partner_id ON commissions
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NOT old.partner_id AND (
  new.partner_id IS NULL OR old.is_unconfirmed = 0 OR old.status IN ('approved', 'rejected', 'paid')
)
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;
--> statement-breakpoint
-- The next two do nothing that a Ledger of this release has not done itself: they are for one of the release before,
-- which goes on for a moment beside it.
CREATE TRIGGER commissions_due_later AFTER UPDATE OF status ON commissions
WHEN new.status IN ('pending', 'approved') AND new.status <> old.status AND (
  (new.status = 'approved' AND new.approved_at IS NULL)
  OR (old.status = 'void' AND EXISTS (
    SELECT 1 FROM sales s JOIN customers u ON u.id = s.customer_id
    WHERE s.id = new.sale_id AND u.one_time_commission_id IS NULL
  ))
)
BEGIN
  UPDATE commissions SET approved_by = 'hold', approved_at = max(hold_until, created_at)
  WHERE id = new.id AND status = 'approved' AND approved_at IS NULL;
  UPDATE customers SET one_time_commission_id = new.id
  WHERE old.status = 'void' AND id = (SELECT customer_id FROM sales WHERE id = new.sale_id)
    AND one_time_commission_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM pending_moves m WHERE m.customer_id = customers.id);
END;
--> statement-breakpoint
CREATE TRIGGER commissions_due_at_once AFTER INSERT ON commissions
WHEN new.status IN ('pending', 'approved') AND (
  (new.status = 'approved' AND new.approved_at IS NULL)
  OR EXISTS (
    SELECT 1 FROM sales s JOIN customers u ON u.id = s.customer_id
    WHERE s.id = new.sale_id AND u.one_time_commission_id IS NULL
  )
)
BEGIN
  UPDATE commissions SET approved_by = 'hold', approved_at = max(hold_until, created_at)
  WHERE id = new.id AND status = 'approved' AND approved_at IS NULL;
  UPDATE customers SET one_time_commission_id = new.id
  WHERE id = (SELECT customer_id FROM sales WHERE id = new.sale_id) AND one_time_commission_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM pending_moves m WHERE m.customer_id = customers.id);
END;
--> statement-breakpoint
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
--> statement-breakpoint
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
