CREATE TABLE `partner_balances` (
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer NOT NULL,
	`pending_cents` integer DEFAULT 0 NOT NULL,
	`net_cents` integer DEFAULT 0 NOT NULL,
	`in_payout_cents` integer DEFAULT 0 NOT NULL,
	`paid_cents` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`program_id`, `currency`, `partner_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `payout_line_entries` (
	`entry_id` integer PRIMARY KEY NOT NULL,
	`line_id` integer NOT NULL,
	`commission_id` integer,
	`amount_cents` integer NOT NULL,
	FOREIGN KEY (`entry_id`) REFERENCES `ledger_entries`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`line_id`) REFERENCES `payout_lines`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `payout_line_entries_line` ON `payout_line_entries` (`line_id`,`commission_id`);--> statement-breakpoint
CREATE TABLE `adjustments` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`reason` text NOT NULL,
	`reference` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`line_id` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`line_id`) REFERENCES `payout_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "adjustments_amount" CHECK("adjustments"."amount_cents" <> 0 and abs("adjustments"."amount_cents") <= 100000000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_reference` ON `adjustments` (`program_id`,`partner_id`,`reference`);--> statement-breakpoint
CREATE INDEX `adjustments_payable` ON `adjustments` (`program_id`,`currency`,`partner_id`,`created_at`) WHERE line_id is null;--> statement-breakpoint
CREATE TABLE `payout_lines` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`payout_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`currency` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`name` text NOT NULL,
	`email` text,
	`email_changed_at` integer,
	`before_cents` integer,
	`amount_cents` integer NOT NULL,
	`commissions` integer NOT NULL,
	`held_cents` integer DEFAULT 0 NOT NULL,
	`held_entries` integer DEFAULT 0 NOT NULL,
	`is_posted` integer DEFAULT false NOT NULL,
	`failed_at` integer,
	`failed_by` text,
	`failure` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`payout_id`) REFERENCES `payouts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payout_lines_state" CHECK("payout_lines"."state" in ('proposed', 'skipped', 'reserving', 'live', 'dropped', 'failed')),
	CONSTRAINT "payout_lines_reason" CHECK(("payout_lines"."state" in ('skipped', 'dropped')) = ("payout_lines"."reason" is not null)),
	CONSTRAINT "payout_lines_skipped" CHECK("payout_lines"."reason" in ('below_minimum', 'negative', 'paused', 'email_changed', 'over_limit')),
	CONSTRAINT "payout_lines_amount" CHECK("payout_lines"."state" not in ('proposed', 'live', 'failed') or "payout_lines"."amount_cents" >= 1),
	CONSTRAINT "payout_lines_held" CHECK("payout_lines"."held_entries" >= 0 and ("payout_lines"."held_entries" > 0 or "payout_lines"."held_cents" = 0)),
	CONSTRAINT "payout_lines_posted" CHECK("payout_lines"."is_posted" = 0 or "payout_lines"."state" in ('live', 'failed')),
	CONSTRAINT "payout_lines_failed" CHECK(("payout_lines"."state" = 'failed') = ("payout_lines"."failed_at" is not null and "payout_lines"."failed_by" is not null and "payout_lines"."failure" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_lines_partner` ON `payout_lines` (`payout_id`,`partner_id`);--> statement-breakpoint
CREATE INDEX `payout_lines_of_partner` ON `payout_lines` (`partner_id`);--> statement-breakpoint
CREATE INDEX `payout_lines_state` ON `payout_lines` (`payout_id`,`state`);--> statement-breakpoint
CREATE INDEX `payout_lines_held` ON `payout_lines` (`payout_id`,`state`) WHERE held_entries > 0;--> statement-breakpoint
CREATE INDEX `payout_lines_unposted` ON `payout_lines` (`payout_id`) WHERE state = 'live' and is_posted = 0;--> statement-breakpoint
CREATE TABLE `payouts` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`reference` text NOT NULL,
	`status` text NOT NULL,
	`phase` text,
	`cursor_partner_id` integer DEFAULT 0 NOT NULL,
	`until` integer NOT NULL,
	`minimum_cents` integer NOT NULL,
	`partner_ids` text,
	`includes_changed` integer DEFAULT false NOT NULL,
	`expected_total_cents` integer,
	`total_cents` integer DEFAULT 0 NOT NULL,
	`line_count` integer DEFAULT 0 NOT NULL,
	`paid_at` integer,
	`note` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`finalized_at` integer,
	`finalized_by` text,
	`confirmed_at` integer,
	`confirmed_by` text,
	`canceled_at` integer,
	`canceled_by` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payouts_status" CHECK("payouts"."status" in ('draft', 'finalizing', 'final', 'confirming', 'paid', 'canceled')),
	CONSTRAINT "payouts_phase" CHECK(case "payouts"."status" when 'draft' then "payouts"."phase" is null or "payouts"."phase" = 'composing' when 'finalizing' then coalesce("payouts"."phase", '') in ('composing', 'reserving', 'returning') when 'final' then "payouts"."phase" is null when 'confirming' then coalesce("payouts"."phase", '') = 'paying' else "payouts"."phase" is null or "payouts"."phase" = 'freeing' end),
	CONSTRAINT "payouts_currency" CHECK(length("payouts"."currency") = 3),
	CONSTRAINT "payouts_minimum" CHECK("payouts"."minimum_cents" >= 1),
	CONSTRAINT "payouts_finalized" CHECK(("payouts"."finalized_at" is null) = ("payouts"."finalized_by" is null)),
	CONSTRAINT "payouts_confirmed" CHECK(("payouts"."confirmed_at" is not null) = ("payouts"."status" in ('confirming', 'paid'))),
	CONSTRAINT "payouts_canceled" CHECK(("payouts"."canceled_at" is not null) = ("payouts"."status" = 'canceled'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_reference` ON `payouts` (`program_id`,`reference`);--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_draft` ON `payouts` (`program_id`,`currency`) WHERE status in ('draft', 'finalizing');--> statement-breakpoint
CREATE INDEX `payouts_unfinished` ON `payouts` (`id`) WHERE phase is not null;--> statement-breakpoint
ALTER TABLE partners ADD COLUMN email_changed_at integer;
--> statement-breakpoint
ALTER TABLE programs ADD COLUMN minimum_payout_cents integer
  CONSTRAINT "programs_minimum_payout" CHECK (minimum_payout_cents >= 1);
--> statement-breakpoint
ALTER TABLE programs ADD COLUMN payout_terms text;
--> statement-breakpoint
ALTER TABLE programs ADD COLUMN payout_approval text NOT NULL DEFAULT 'one_person'
  CONSTRAINT "programs_payout_approval" CHECK (payout_approval in ('one_person', 'two_people'));
--> statement-breakpoint
ALTER TABLE commissions ADD COLUMN line_id integer REFERENCES payout_lines(id)
  CONSTRAINT "commissions_line" CHECK (line_id is null or status in ('approved', 'paid'));
--> statement-breakpoint
ALTER TABLE commissions ADD COLUMN untaken_cents integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE commissions ADD COLUMN untaken_entries integer NOT NULL DEFAULT 0;
--> statement-breakpoint
UPDATE commissions SET untaken_cents = e.cents, untaken_entries = e.entries
FROM (
  SELECT commission_id, sum(amount_cents) AS cents, count(*) AS entries FROM ledger_entries
  WHERE commission_id IS NOT NULL GROUP BY commission_id
) e
WHERE commissions.id = e.commission_id;
--> statement-breakpoint
CREATE INDEX `commissions_payable` ON `commissions` (`program_id`,`currency`,`partner_id`,`approved_at`,`untaken_cents`) WHERE is_test = 0 and approved_at is not null and untaken_entries > 0;
--> statement-breakpoint
CREATE INDEX `commissions_line` ON `commissions` (`line_id`,`status`) WHERE line_id is not null;
--> statement-breakpoint
ALTER TABLE ledger_entries ADD COLUMN adjustment_id integer REFERENCES adjustments(id)
  CONSTRAINT "ledger_entries_of_adjustment" CHECK ((kind = 'adjusted') = (adjustment_id is not null));
--> statement-breakpoint
ALTER TABLE ledger_entries ADD COLUMN payout_line_id integer REFERENCES payout_lines(id)
  CONSTRAINT "ledger_entries_of_line" CHECK ((kind in ('paid', 'returned')) = (payout_line_id is not null));
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_adjusted` ON `ledger_entries` (`adjustment_id`) WHERE adjustment_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_paid` ON `ledger_entries` (`payout_line_id`,`kind`) WHERE payout_line_id is not null;
--> statement-breakpoint
CREATE INDEX `ledger_entries_partner` ON `ledger_entries` (`program_id`,`partner_id`,`currency`) WHERE is_test = 0;
--> statement-breakpoint
INSERT INTO partner_balances (program_id, currency, partner_id, pending_cents, net_cents)
SELECT e.program_id, e.currency, e.partner_id,
  sum(iif(c.approved_at IS NULL, e.amount_cents, 0)), sum(iif(c.approved_at IS NULL, 0, e.amount_cents))
FROM ledger_entries e CROSS JOIN commissions c ON c.id = e.commission_id
WHERE e.is_test = 0
GROUP BY e.program_id, e.currency, e.partner_id;
--> statement-breakpoint
DROP TRIGGER ledger_entries_no_replace;
--> statement-breakpoint
-- `insert or replace` removes the rows that a unique index names without the delete's trigger hearing of it.
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
  OR (new.adjustment_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries WHERE adjustment_id = new.adjustment_id AND adjustment_id IS NOT NULL
  ))
  OR (new.payout_line_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM ledger_entries
    WHERE payout_line_id = new.payout_line_id AND kind = new.kind AND payout_line_id IS NOT NULL
  ))
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
DROP TRIGGER ledger_entries_counted;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL
BEGIN
  UPDATE commissions SET
    amount_cents = amount_cents + new.amount_cents, untaken_cents = untaken_cents + new.amount_cents,
    untaken_entries = untaken_entries + 1
  WHERE id = new.commission_id;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, new.amount_cents)
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL AND new.is_test = 0
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, pending_cents, net_cents)
  SELECT new.program_id, new.currency, new.partner_id,
    iif(c.approved_at IS NULL, new.amount_cents, 0), iif(c.approved_at IS NULL, 0, new.amount_cents)
  FROM commissions c WHERE c.id = new.commission_id
  ON CONFLICT DO UPDATE SET
    pending_cents = pending_cents + excluded.pending_cents, net_cents = net_cents + excluded.net_cents;
END;
--> statement-breakpoint
-- Before a move's own entries are written, an approval still covers those of the partner who had the commission.
CREATE TRIGGER commissions_balanced AFTER UPDATE OF approved_at ON commissions
WHEN new.is_test = 0 AND (old.approved_at IS NULL) <> (new.approved_at IS NULL) AND new.amount_cents <> 0
BEGIN
  UPDATE partner_balances SET
    pending_cents = pending_cents - iif(new.approved_at IS NULL, -new.amount_cents, new.amount_cents),
    net_cents = net_cents + iif(new.approved_at IS NULL, -new.amount_cents, new.amount_cents)
  WHERE program_id = new.program_id AND currency = new.currency
    AND partner_id = coalesce(old.partner_id, new.partner_id);
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_of_payout BEFORE INSERT ON ledger_entries
WHEN new.payout_line_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.id = new.payout_line_id AND l.program_id = new.program_id AND l.partner_id = new.partner_id
    AND l.currency = new.currency AND new.is_test = 0
    AND CASE new.kind
      WHEN 'paid' THEN p.status = 'confirming' AND l.state = 'live' AND new.amount_cents = -l.amount_cents
      ELSE p.status = 'paid' AND l.state = 'failed' AND new.amount_cents = l.amount_cents
    END
)
BEGIN
  SELECT raise(ABORT, 'not the payment of a line');
END;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_of_person BEFORE INSERT ON ledger_entries
WHEN new.adjustment_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM adjustments a
  WHERE a.id = new.adjustment_id AND a.program_id = new.program_id AND a.partner_id = new.partner_id
    AND a.currency = new.currency AND a.amount_cents = new.amount_cents AND new.is_test = 0
)
BEGIN
  SELECT raise(ABORT, 'not the entry of an adjustment');
END;
--> statement-breakpoint
-- A returned payment is held again until its line's entries are free.
CREATE TRIGGER ledger_entries_settled AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NULL
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, net_cents, in_payout_cents, paid_cents)
  VALUES (
    new.program_id, new.currency, new.partner_id, iif(new.kind = 'adjusted', new.amount_cents, 0),
    iif(new.kind = 'adjusted', 0, new.amount_cents), iif(new.kind = 'adjusted', 0, -new.amount_cents)
  )
  ON CONFLICT DO UPDATE SET
    net_cents = net_cents + excluded.net_cents, in_payout_cents = in_payout_cents + excluded.in_payout_cents,
    paid_cents = paid_cents + excluded.paid_cents;
  UPDATE payout_lines SET is_posted = 1 WHERE id = new.payout_line_id AND new.kind = 'paid';
END;
--> statement-breakpoint
-- An entry is in one line, the one of its partner, and only while that line takes entries.
CREATE TRIGGER payout_line_entries_once BEFORE INSERT ON payout_line_entries
WHEN EXISTS (SELECT 1 FROM payout_line_entries WHERE entry_id = new.entry_id) OR NOT EXISTS (
  SELECT 1 FROM ledger_entries e
  JOIN payout_lines l ON l.id = new.line_id
  JOIN payouts p ON p.id = l.payout_id
  LEFT JOIN commissions c ON c.id = e.commission_id
  WHERE e.id = new.entry_id AND e.is_test = 0 AND e.program_id = l.program_id AND e.currency = l.currency
    AND e.amount_cents = new.amount_cents AND e.commission_id IS new.commission_id AND e.payout_line_id IS NULL
    AND l.state = 'reserving' AND p.status = 'finalizing'
    AND iif(c.id IS NULL, e.partner_id, iif(c.approved_at IS NULL, NULL, c.partner_id)) IS l.partner_id
)
BEGIN
  SELECT raise(ABORT, 'an entry is in one line, of its partner');
END;
--> statement-breakpoint
CREATE TRIGGER payout_line_entries_no_update BEFORE UPDATE ON payout_line_entries
BEGIN
  SELECT raise(ABORT, 'a line keeps its entries');
END;
--> statement-breakpoint
CREATE TRIGGER payout_line_entries_held BEFORE DELETE ON payout_line_entries
WHEN NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.id = old.line_id AND (l.state IN ('dropped', 'failed') OR p.status = 'canceled' OR p.phase = 'returning')
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its entries');
END;
--> statement-breakpoint
CREATE TRIGGER payout_line_entries_taken AFTER INSERT ON payout_line_entries
BEGIN
  UPDATE payout_lines SET held_cents = held_cents + new.amount_cents, held_entries = held_entries + 1
  WHERE id = new.line_id;
  UPDATE commissions SET untaken_cents = untaken_cents - new.amount_cents, untaken_entries = untaken_entries - 1
  WHERE id = new.commission_id;
  UPDATE adjustments SET line_id = new.line_id
  WHERE new.commission_id IS NULL AND id = (SELECT adjustment_id FROM ledger_entries WHERE id = new.entry_id);
  UPDATE partner_balances SET
    net_cents = net_cents - new.amount_cents, in_payout_cents = in_payout_cents + new.amount_cents
  WHERE (program_id, currency, partner_id) = (
    SELECT program_id, currency, partner_id FROM payout_lines WHERE id = new.line_id
  );
END;
--> statement-breakpoint
CREATE TRIGGER payout_line_entries_freed AFTER DELETE ON payout_line_entries
BEGIN
  UPDATE payout_lines SET held_cents = held_cents - old.amount_cents, held_entries = held_entries - 1
  WHERE id = old.line_id;
  UPDATE commissions SET untaken_cents = untaken_cents + old.amount_cents, untaken_entries = untaken_entries + 1
  WHERE id = old.commission_id;
  UPDATE adjustments SET line_id = NULL
  WHERE old.commission_id IS NULL AND id = (SELECT adjustment_id FROM ledger_entries WHERE id = old.entry_id);
  UPDATE partner_balances SET
    net_cents = net_cents + old.amount_cents, in_payout_cents = in_payout_cents - old.amount_cents
  WHERE (program_id, currency, partner_id) = (
    SELECT program_id, currency, partner_id FROM payout_lines WHERE id = old.line_id
  );
END;
--> statement-breakpoint
CREATE TRIGGER payouts_in_order BEFORE UPDATE OF status ON payouts
WHEN new.status <> old.status AND NOT CASE old.status
  WHEN 'draft' THEN new.status IN ('finalizing', 'canceled')
  WHEN 'finalizing' THEN new.status IN ('draft', 'final', 'confirming')
  WHEN 'final' THEN new.status IN ('confirming', 'canceled')
  WHEN 'confirming' THEN new.status = 'paid'
  ELSE 0
END
BEGIN
  SELECT raise(ABORT, 'a payout never goes back');
END;
--> statement-breakpoint
CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
WHEN old.status <> 'draft' OR old.phase IS NOT 'composing'
BEGIN
  SELECT raise(ABORT, 'a payout is never deleted');
END;
--> statement-breakpoint
CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND (status <> 'draft' OR phase IS NOT 'composing'))
BEGIN
  SELECT raise(ABORT, 'a line is never deleted');
END;
--> statement-breakpoint
CREATE TRIGGER payout_lines_final BEFORE UPDATE OF payout_id, partner_id, currency, state, name, email, amount_cents, commissions
ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status IN ('final', 'confirming', 'paid')) AND (
  new.payout_id <> old.payout_id OR new.partner_id <> old.partner_id OR new.currency <> old.currency
  OR new.name <> old.name OR new.email IS NOT old.email
  OR new.amount_cents <> old.amount_cents OR new.commissions <> old.commissions
  OR (new.state <> old.state AND (old.state <> 'live' OR new.state <> 'failed'))
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;
--> statement-breakpoint
CREATE TRIGGER adjustments_no_update BEFORE UPDATE ON adjustments
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.partner_id <> old.partner_id
  OR new.amount_cents <> old.amount_cents OR new.currency <> old.currency OR new.reason <> old.reason
  OR new.reference <> old.reference OR new.created_by <> old.created_by OR new.created_at <> old.created_at
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER adjustments_no_delete BEFORE DELETE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER adjustments_no_replace BEFORE INSERT ON adjustments
WHEN EXISTS (SELECT 1 FROM adjustments WHERE id = new.id)
  OR EXISTS (
    SELECT 1 FROM adjustments
    WHERE program_id = new.program_id AND partner_id = new.partner_id AND reference = new.reference
  )
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
