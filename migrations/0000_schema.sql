CREATE TABLE `applications` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`website` text,
	`answers` text NOT NULL,
	`terms_version` integer,
	`status` text NOT NULL,
	`partner_id` integer,
	`partner_note_id` integer,
	`decided_at` integer,
	`opened_on` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "applications_status" CHECK("applications"."status" in ('pending', 'approved', 'declined')),
	CONSTRAINT "applications_partner" CHECK(("applications"."status" = 'approved') = ("applications"."partner_id" is not null)),
	CONSTRAINT "applications_opened" CHECK("applications"."opened_on" is null or "applications"."status" = 'approved'),
	CONSTRAINT "applications_decided" CHECK(("applications"."status" = 'pending') = ("applications"."decided_at" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `applications_account` ON `applications` (`program_id`,`account_id`);
--> statement-breakpoint
CREATE INDEX `applications_of_account` ON `applications` (`account_id`);
--> statement-breakpoint
CREATE INDEX `applications_open` ON `applications` (`program_id`) WHERE status = 'pending';
--> statement-breakpoint
CREATE INDEX `applications_opened` ON `applications` (`program_id`,`opened_on`) WHERE opened_on is not null;
--> statement-breakpoint
CREATE INDEX `applications_declined` ON `applications` (`program_id`,`decided_at`) WHERE status = 'declined' and name <> '';
--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`operation_id` text NOT NULL,
	`actor_id` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`before` text,
	`after` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_operation` ON `audit_entries` (`operation_id`);
--> statement-breakpoint
CREATE INDEX `audit_entries_program` ON `audit_entries` (`program_id`);
--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (`program_id`,`subject`);
--> statement-breakpoint
CREATE TABLE `click_event_ids` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`link_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`click_id` text NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `event_id`, `link_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `clicks` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`click_id` text NOT NULL,
	`link_id` integer,
	`partner_id` integer,
	`code_param` text,
	`sub` text,
	`event_id` text,
	`existing_click_id` text,
	`event_name` text,
	`source` text NOT NULL,
	`is_bot` integer NOT NULL,
	`is_prefetch` integer NOT NULL,
	`visitor` text,
	`page_url` text,
	`referrer_url` text,
	`page_title` text,
	`screen_resolution` text,
	`viewport_size` text,
	`language` text,
	`timezone` text,
	`country` text,
	`region` text,
	`city` text,
	`device_type` text,
	`os` text,
	`browser` text,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `referral_links`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `clicks_click_id` ON `clicks` (`click_id`);
--> statement-breakpoint
CREATE INDEX `clicks_existing` ON `clicks` (`existing_click_id`) WHERE existing_click_id is not null;
--> statement-breakpoint
CREATE INDEX `clicks_recent` ON `clicks` (`program_id`,`is_test`,`occurred_at`,`is_bot`,`is_prefetch`,`partner_id`);
--> statement-breakpoint
CREATE INDEX `clicks_visitor` ON `clicks` (`day`,`visitor`,`partner_id`) WHERE visitor is not null and not (is_bot or is_prefetch);
--> statement-breakpoint
CREATE TABLE `commission_signals` (
	`commission_id` integer NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`code` text NOT NULL,
	`effect` text NOT NULL,
	`evidence` text NOT NULL,
	`note_id` integer,
	`partner_id` integer,
	`raised_at` integer NOT NULL,
	`review_until` integer,
	`ended_at` integer,
	`ended_by` text,
	PRIMARY KEY(`commission_id`, `code`, `raised_at`),
	FOREIGN KEY (`commission_id`) REFERENCES `commissions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commission_signals_code" CHECK("commission_signals"."code" in ('by_hand', 'self_referral', 'duplicate_source', 'blocked_source')),
	CONSTRAINT "commission_signals_effect" CHECK("commission_signals"."effect" in ('flag', 'hold')),
	CONSTRAINT "commission_signals_by_hand" CHECK(("commission_signals"."code" = 'by_hand') = ("commission_signals"."note_id" is not null)),
	CONSTRAINT "commission_signals_review" CHECK("commission_signals"."review_until" is null or ("commission_signals"."effect" = 'hold' and "commission_signals"."code" <> 'by_hand')),
	CONSTRAINT "commission_signals_end" CHECK(("commission_signals"."ended_at" is null) = ("commission_signals"."ended_by" is null)),
	CONSTRAINT "commission_signals_ended_by" CHECK(coalesce("commission_signals"."ended_by", 'time') in ('person', 'time', 'move'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `commission_signals_code` ON `commission_signals` (`program_id`,`is_test`,`code`,`commission_id`) WHERE ended_at is null;
--> statement-breakpoint
CREATE TABLE `commissions` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`sale_id` integer NOT NULL,
	`partner_id` integer,
	`source` text,
	`sub` text,
	`status` text NOT NULL,
	`reason` text,
	`is_unconfirmed` integer NOT NULL,
	`held_at` integer,
	`review_until` integer,
	`approved_at` integer,
	`approved_by` text,
	`initial_cents` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`hold_until` integer,
	`policy_id` integer,
	`explanation` text NOT NULL,
	`created_at` integer NOT NULL,
	`payable_number` integer,
	`reversed_number` integer,
	`event_seq` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`policy_id`) REFERENCES `commission_policies`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commissions_status" CHECK("commissions"."status" in ('pending', 'approved', 'reversed', 'rejected', 'void')),
	CONSTRAINT "commissions_source" CHECK(case when "commissions"."partner_id" is null then "commissions"."source" is null else coalesce("commissions"."source" in ('click', 'coupon', 'import', 'person'), 0) end),
	CONSTRAINT "commissions_sub" CHECK("commissions"."sub" is null or "commissions"."source" is 'click'),
	CONSTRAINT "commissions_void" CHECK(("commissions"."status" = 'void') = ("commissions"."reason" is not null)),
	CONSTRAINT "commissions_due" CHECK("commissions"."status" = 'void' or ("commissions"."partner_id" is not null and "commissions"."hold_until" is not null)),
	CONSTRAINT "commissions_approval" CHECK(("commissions"."approved_at" is null) = ("commissions"."approved_by" is null)),
	CONSTRAINT "commissions_held" CHECK("commissions"."held_at" is null or "commissions"."status" in ('pending', 'reversed')),
	CONSTRAINT "commissions_review" CHECK("commissions"."review_until" is null or "commissions"."held_at" is not null),
	CONSTRAINT "commissions_initial" CHECK("commissions"."initial_cents" >= 0),
	CONSTRAINT "commissions_amount" CHECK("commissions"."amount_cents" >= 0),
	CONSTRAINT "commissions_number" CHECK(("commissions"."payable_number" is null) = ("commissions"."approved_at" is null)),
	CONSTRAINT "commissions_account" CHECK(case "commissions"."status" when 'approved' then "commissions"."payable_number" is not null when 'pending' then "commissions"."payable_number" is null else 1 end),
	CONSTRAINT "commissions_reversed" CHECK(("commissions"."status" = 'reversed') = ("commissions"."reversed_number" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `commissions_sale` ON `commissions` (`sale_id`);
--> statement-breakpoint
CREATE INDEX `commissions_status` ON `commissions` (`program_id`,`is_test`,`status`);
--> statement-breakpoint
CREATE INDEX `commissions_partner` ON `commissions` (`partner_id`,`is_test`,`status`) WHERE partner_id is not null;
--> statement-breakpoint
CREATE INDEX `commissions_unconfirmed` ON `commissions` (`program_id`,`is_test`,`status`) WHERE is_unconfirmed = 1;
--> statement-breakpoint
CREATE INDEX `commissions_payable` ON `commissions` (`program_id`,`currency`,`partner_id`,`payable_number`,`status`,`amount_cents`) WHERE is_test = 0 and payable_number is not null;
--> statement-breakpoint
CREATE INDEX `commissions_due` ON `commissions` (`hold_until`) WHERE status = 'pending' and is_unconfirmed = 0 and held_at is null and source <> 'coupon';
--> statement-breakpoint
CREATE INDEX `commissions_of_coupons_due` ON `commissions` (`hold_until`) WHERE status = 'pending' and is_unconfirmed = 0 and held_at is null and source = 'coupon';
--> statement-breakpoint
CREATE INDEX `commissions_held` ON `commissions` (`program_id`,`is_test`,`status`) WHERE held_at is not null;
--> statement-breakpoint
CREATE INDEX `commissions_review` ON `commissions` (`review_until`) WHERE review_until is not null;
--> statement-breakpoint
CREATE TABLE `ledger_entries` (
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
	`adjustment_id` integer,
	`payout_line_id` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`commission_id`) REFERENCES `commissions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`refund_id`) REFERENCES `refunds`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`adjustment_id`) REFERENCES `adjustments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`payout_line_id`) REFERENCES `payout_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_entries_sign" CHECK(case when "ledger_entries"."kind" in ('earned', 'restored', 'returned') then "ledger_entries"."amount_cents" >= 0 when "ledger_entries"."kind" in ('reversed', 'rejected', 'paid') then "ledger_entries"."amount_cents" <= 0 else "ledger_entries"."kind" in ('moved', 'adjusted') end),
	CONSTRAINT "ledger_entries_refund" CHECK(("ledger_entries"."kind" in ('reversed', 'restored')) = ("ledger_entries"."refund_id" is not null)),
	CONSTRAINT "ledger_entries_of_commission" CHECK(("ledger_entries"."kind" in ('adjusted', 'paid', 'returned')) = ("ledger_entries"."commission_id" is null)),
	CONSTRAINT "ledger_entries_of_adjustment" CHECK(("ledger_entries"."kind" = 'adjusted') = ("ledger_entries"."adjustment_id" is not null)),
	CONSTRAINT "ledger_entries_of_line" CHECK(("ledger_entries"."kind" in ('paid', 'returned')) = ("ledger_entries"."payout_line_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `ledger_entries_commission` ON `ledger_entries` (`commission_id`) WHERE commission_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_earned` ON `ledger_entries` (`commission_id`) WHERE kind = 'earned';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_rejected` ON `ledger_entries` (`commission_id`) WHERE kind = 'rejected';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_moved` ON `ledger_entries` (`commission_id`,`partner_id`,amount_cents < 0) WHERE kind = 'moved';
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_refunded` ON `ledger_entries` (`refund_id`) WHERE refund_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_adjusted` ON `ledger_entries` (`adjustment_id`) WHERE adjustment_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_paid` ON `ledger_entries` (`payout_line_id`,`kind`) WHERE payout_line_id is not null;
--> statement-breakpoint
CREATE INDEX `ledger_entries_adjustments` ON `ledger_entries` (`program_id`,`currency`,`partner_id`) WHERE adjustment_id is not null;
--> statement-breakpoint
CREATE INDEX `ledger_entries_partner` ON `ledger_entries` (`program_id`,`partner_id`,`currency`) WHERE is_test = 0;
--> statement-breakpoint
CREATE TABLE `coupon_codes` (
	`program_id` integer NOT NULL,
	`code_key` text NOT NULL,
	`code` text NOT NULL,
	`coupon_id` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`program_id`, `code_key`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`coupon_id`) REFERENCES `coupons`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `coupon_codes_coupon` ON `coupon_codes` (`coupon_id`,`position`);
--> statement-breakpoint
CREATE TABLE `coupons` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`status` text NOT NULL,
	`valid_from` integer,
	`valid_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "coupons_status" CHECK("coupons"."status" in ('active', 'paused')),
	CONSTRAINT "coupons_valid" CHECK("coupons"."valid_from" <= "coupons"."valid_until")
) STRICT;
--> statement-breakpoint
CREATE INDEX `coupons_program` ON `coupons` (`program_id`);
--> statement-breakpoint
CREATE INDEX `coupons_partner` ON `coupons` (`partner_id`);
--> statement-breakpoint
CREATE TABLE `customer_clicks` (
	`customer_id` integer NOT NULL,
	`click_id` text NOT NULL,
	`link_id` integer NOT NULL,
	`click_at` integer NOT NULL,
	`evidence` text NOT NULL,
	`is_nameless` integer NOT NULL,
	`has_settled_in_browser` integer NOT NULL,
	`shown_at` integer NOT NULL,
	PRIMARY KEY(`customer_id`, `click_id`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `referral_links`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `customer_clicks_click` ON `customer_clicks` (`click_id`);
--> statement-breakpoint
CREATE INDEX `customer_clicks_nameless` ON `customer_clicks` (`click_id`) WHERE is_nameless = 1;
--> statement-breakpoint
CREATE INDEX `customer_clicks_browser` ON `customer_clicks` (`click_id`) WHERE has_settled_in_browser = 1;
--> statement-breakpoint
CREATE INDEX `customer_clicks_keyed` ON `customer_clicks` (`customer_id`,`click_at`,`click_id`) WHERE evidence = 'key';
--> statement-breakpoint
CREATE TABLE `customers` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`customer_key` text,
	`partner_id` integer,
	`source` text,
	`link_id` integer,
	`since` integer,
	`click_id` text,
	`click_at` integer,
	`evidence` text,
	`model` text,
	`window_days` integer,
	`window_until` text,
	`click_age_days` integer,
	`bound_at` integer,
	`bound_by` text,
	`confirmed_at` integer,
	`reason` text,
	`first_sale_at` integer,
	`first_attributed_sale_at` integer,
	`one_time_commission_id` integer,
	`imported_first_sale_at` integer,
	`imported_subscription_id` text,
	`email_hash` text,
	`email_mask` text,
	`is_erased` integer DEFAULT false NOT NULL,
	`erased_evidence` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `referral_links`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "customers_attribution" CHECK(case when "customers"."partner_id" is null then "customers"."source" is null else coalesce("customers"."source" in ('click', 'coupon', 'import', 'person'), 0) end),
	CONSTRAINT "customers_of_click" CHECK(("customers"."source" is 'click') = ("customers"."click_id" is not null)),
	CONSTRAINT "customers_since" CHECK(("customers"."source" is not null and "customers"."source" <> 'click') = ("customers"."since" is not null)),
	CONSTRAINT "customers_reason" CHECK(("customers"."partner_id" is null) = ("customers"."reason" is not null)),
	CONSTRAINT "customers_decided" CHECK(case when "customers"."partner_id" is null then 1 when "customers"."source" = 'click' then "customers"."click_at" is not null and "customers"."evidence" is not null and "customers"."model" is not null and "customers"."window_days" is not null and "customers"."window_until" is not null and "customers"."bound_at" is not null and "customers"."bound_by" is not null else "customers"."link_id" is not null and "customers"."bound_at" is not null and coalesce("customers"."click_at", "customers"."evidence", "customers"."model", "customers"."window_days", "customers"."window_until", "customers"."click_age_days", "customers"."bound_by") is null and ("customers"."source" = 'coupon' or "customers"."confirmed_at" is not null) end),
	CONSTRAINT "customers_locked" CHECK("customers"."first_attributed_sale_at" is null or "customers"."partner_id" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_key` ON `customers` (`program_id`,`is_test`,`customer_key`) WHERE customer_key is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_imported_subscription` ON `customers` (`program_id`,`is_test`,`imported_subscription_id`) WHERE imported_subscription_id is not null;
--> statement-breakpoint
CREATE INDEX `customers_email_key` ON `customers` (`program_id`,`is_test`,`customer_key`) WHERE instr(customer_key, '@') > 1 and customer_key <> lower(customer_key);
--> statement-breakpoint
CREATE INDEX `customers_email_hash` ON `customers` (`program_id`,`is_test`,`email_hash`) WHERE email_hash is not null;
--> statement-breakpoint
CREATE TABLE `pending_moves` (
	`customer_id` integer PRIMARY KEY NOT NULL,
	`after_occurred_at` integer NOT NULL,
	`after_sale_id` integer NOT NULL,
	`is_partner_active` integer NOT NULL,
	`is_program_active` integer NOT NULL,
	`policy_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `daily_counts` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`day` text NOT NULL,
	`partner_id` integer NOT NULL,
	`currency` text NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`unique_clicks` integer DEFAULT 0 NOT NULL,
	`uncounted_clicks` integer DEFAULT 0 NOT NULL,
	`leads` integer DEFAULT 0 NOT NULL,
	`unattributed_leads` integer DEFAULT 0 NOT NULL,
	`sales` integer DEFAULT 0 NOT NULL,
	`revenue_cents` integer DEFAULT 0 NOT NULL,
	`organic_sales` integer DEFAULT 0 NOT NULL,
	`organic_revenue_cents` integer DEFAULT 0 NOT NULL,
	`refunds` integer DEFAULT 0 NOT NULL,
	`refunded_cents` integer DEFAULT 0 NOT NULL,
	`organic_refunds` integer DEFAULT 0 NOT NULL,
	`commission_cents` integer DEFAULT 0 NOT NULL,
	`uncounted_refunds` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `day`, `partner_id`, `currency`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `erased_identifiers` (
	`program_id` integer NOT NULL,
	`digest` text NOT NULL,
	`erasure_id` text NOT NULL,
	PRIMARY KEY(`program_id`, `digest`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`erasure_id`) REFERENCES `erasures`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` text PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`subject` text NOT NULL,
	`requested_by` text NOT NULL,
	`requested_at` integer NOT NULL,
	`erased_at` integer,
	`asked` text,
	`customer_ids` text DEFAULT '[]' NOT NULL,
	`rows` text NOT NULL,
	`before` text NOT NULL,
	`after` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erasures_subject" CHECK("erasures"."subject" in ('customer', 'click', 'partner')),
	CONSTRAINT "erasures_asked" CHECK(("erasures"."asked" is null) = ("erasures"."erased_at" is not null)),
	CONSTRAINT "erasures_sums" CHECK("erasures"."erased_at" is null or "erasures"."after" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `erasures_program` ON `erasures` (`program_id`);
--> statement-breakpoint
CREATE INDEX `erasures_open` ON `erasures` (`requested_at`) WHERE erased_at is null;
--> statement-breakpoint
CREATE TABLE `events` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`seq` integer DEFAULT 0 NOT NULL,
	`at` integer DEFAULT 0 NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`batch` integer DEFAULT 0 NOT NULL,
	`type` text NOT NULL,
	`subject` integer NOT NULL,
	`before` text,
	`after` text,
	PRIMARY KEY(`program_id`, `is_test`, `seq`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `accepted_terms` (
	`partner_id` integer NOT NULL,
	`version` integer NOT NULL,
	`account_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`accepted_at` integer NOT NULL,
	PRIMARY KEY(`partner_id`, `version`, `account_id`),
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `accepted_terms_program` ON `accepted_terms` (`program_id`);
--> statement-breakpoint
CREATE TABLE `join_pages` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`slug` text NOT NULL,
	`headline` text NOT NULL,
	`description` text NOT NULL,
	`questions` text NOT NULL,
	`group_id` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `partner_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "join_pages_mode" CHECK("join_pages"."mode" in ('closed', 'approval', 'open'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `join_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `program_places`(`program_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `join_slugs_program` ON `join_slugs` (`program_id`);
--> statement-breakpoint
CREATE TABLE `partner_terms` (
	`program_id` integer NOT NULL,
	`version` integer NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `version`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `leads` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`operation_id` text NOT NULL,
	`moved_operation_id` text,
	`customer_id` integer,
	`unsettled_key` text,
	`customer_key` text,
	`is_provisional` integer NOT NULL,
	`evidence` text NOT NULL,
	`partner_id` integer,
	`partner_code` text,
	`click_id` text,
	`reason` text,
	`click_age_days` integer,
	`window_days` integer,
	`explanation` text NOT NULL,
	`page_url` text,
	`event_name` text,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "leads_settled" CHECK(("leads"."customer_id" is null) = ("leads"."unsettled_key" is not null)),
	CONSTRAINT "leads_provisional" CHECK("leads"."is_provisional" = 0 or ("leads"."customer_id" is null and "leads"."partner_id" is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `leads_customer` ON `leads` (`customer_id`) WHERE customer_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `leads_unsettled` ON `leads` (`program_id`,`is_test`,`unsettled_key`) WHERE unsettled_key is not null;
--> statement-breakpoint
CREATE INDEX `leads_recent` ON `leads` (`program_id`,`is_test`,`occurred_at`,`partner_id`);
--> statement-breakpoint
CREATE INDEX `leads_click` ON `leads` (`click_id`) WHERE customer_id is null and click_id is not null;
--> statement-breakpoint
CREATE TABLE `ledger_writers` (
	`name` text PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer,
	`committed_at` integer,
	`number` integer DEFAULT 0 NOT NULL,
	`id_floor` integer DEFAULT 0 NOT NULL,
	`restored_at` integer,
	`restored_epoch` integer,
	`backup_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`program_id` integer,
	`template` text NOT NULL,
	`content` text,
	`payout_line_id` integer,
	`origin` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`delivered_at` integer,
	`failed_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`payout_line_id`) REFERENCES `payout_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mails_template" CHECK("mails"."template" in ('partner_invitation', 'application_received', 'application_approved', 'application_declined', 'verify_address', 'password_reset', 'details_changed', 'payout_paid', 'line_failed')),
	CONSTRAINT "mails_settled" CHECK(("mails"."due_at" is not null) + ("mails"."delivered_at" is not null) + ("mails"."failed_at" is not null) = 1),
	CONSTRAINT "mails_content" CHECK(("mails"."content" is not null) = ("mails"."due_at" is not null and "mails"."payout_line_id" is null)),
	CONSTRAINT "mails_line" CHECK(("mails"."payout_line_id" is null) = ("mails"."origin" is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`) WHERE due_at is not null and payout_line_id is null;
--> statement-breakpoint
CREATE INDEX `mails_due_lines` ON `mails` (`due_at`) WHERE due_at is not null and payout_line_id is not null;
--> statement-breakpoint
CREATE INDEX `mails_created` ON `mails` (`created_at`);
--> statement-breakpoint
CREATE INDEX `mails_failed` ON `mails` (`failed_at`) WHERE failed_at is not null;
--> statement-breakpoint
CREATE INDEX `mails_program` ON `mails` (`program_id`) WHERE program_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_line` ON `mails` (`payout_line_id`,`template`) WHERE payout_line_id is not null;
--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`email` text,
	`role` text NOT NULL,
	`invited_by` text NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`invited_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "invitations_role" CHECK("invitations"."role" in ('owner', 'admin', 'viewer'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token` ON `invitations` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `invitations_workspace` ON `invitations` (`workspace_id`);
--> statement-breakpoint
CREATE INDEX `invitations_expires` ON `invitations` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `memberships` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "memberships_role" CHECK("memberships"."role" in ('owner', 'admin', 'viewer')),
	CONSTRAINT "memberships_status" CHECK("memberships"."status" in ('active', 'suspended'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_place` ON `memberships` (`workspace_id`,`user_id`);
--> statement-breakpoint
CREATE TABLE `workspace_audit_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`actor_id` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`before` text,
	`after` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `workspace_audit_entries_operation` ON `workspace_audit_entries` (`operation_id`);
--> statement-breakpoint
CREATE INDEX `workspace_audit_entries_workspace` ON `workspace_audit_entries` (`workspace_id`);
--> statement-breakpoint
CREATE TABLE `notes` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`text` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notes_kind" CHECK("notes"."kind" in ('reason', 'partner_note', 'note', 'name', 'email'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_partners` (
	`account_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`entered_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `program_id`, `partner_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `partner_accounts` (
	`partner_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`role` text NOT NULL,
	`email_hash` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`partner_id`, `account_id`),
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "partner_accounts_role" CHECK("partner_accounts"."role" in ('manage', 'view'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `partner_accounts_email_hash` ON `partner_accounts` (`program_id`,`email_hash`) WHERE email_hash is not null;
--> statement-breakpoint
CREATE INDEX `partner_accounts_account` ON `partner_accounts` (`account_id`,`program_id`);
--> statement-breakpoint
CREATE INDEX `partner_accounts_program` ON `partner_accounts` (`program_id`);
--> statement-breakpoint
CREATE TABLE `partner_invitations` (
	`partner_id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`token_hash` text NOT NULL,
	`role` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "partner_invitations_role" CHECK("partner_invitations"."role" in ('manage', 'view'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `partner_invitations_token` ON `partner_invitations` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `partner_invitations_program` ON `partner_invitations` (`program_id`);
--> statement-breakpoint
CREATE TABLE `partner_balances` (
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer NOT NULL,
	`pending_cents` integer DEFAULT 0 NOT NULL,
	`payable_cents` integer DEFAULT 0 NOT NULL,
	`in_payout_cents` integer DEFAULT 0 NOT NULL,
	`paid_cents` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`program_id`, `currency`, `partner_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `group_memberships` (
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`group_id` integer,
	`effective_from` integer NOT NULL,
	`operation_id` text NOT NULL,
	PRIMARY KEY(`program_id`, `partner_id`, `effective_from`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `partner_groups`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_memberships_group` ON `group_memberships` (`group_id`,`partner_id`);
--> statement-breakpoint
CREATE TABLE `partner_groups` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `partner_groups_name` ON `partner_groups` (`program_id`,name collate nocase);
--> statement-breakpoint
CREATE TABLE `partners` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`email_hash` text,
	`details_changed_at` integer,
	`external_id` text,
	`status` text NOT NULL,
	`is_risk_exempt` integer DEFAULT false NOT NULL,
	`is_synthetic` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`erasure_id` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`erasure_id`) REFERENCES `erasures`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "partners_email_hash" CHECK(("partners"."email" is null) = ("partners"."email_hash" is null)),
	CONSTRAINT "partners_status" CHECK("partners"."status" in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `partners_program` ON `partners` (`program_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `partners_external_id` ON `partners` (`program_id`,`external_id`) WHERE external_id is not null;
--> statement-breakpoint
CREATE INDEX `partners_email` ON `partners` (`program_id`,`email`) WHERE email is not null;
--> statement-breakpoint
CREATE INDEX `partners_email_hash` ON `partners` (`program_id`,`email_hash`) WHERE email_hash is not null;
--> statement-breakpoint
CREATE INDEX `partners_erasure` ON `partners` (`erasure_id`) WHERE erasure_id is not null;
--> statement-breakpoint
CREATE TABLE `referral_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`code` text NOT NULL,
	`code_key` text NOT NULL,
	`destination_url` text,
	`made_by` text DEFAULT 'owner' NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "referral_links_code_key" CHECK("referral_links"."code_key" = lower("referral_links"."code")),
	CONSTRAINT "referral_links_made_by" CHECK("referral_links"."made_by" in ('owner', 'import', 'partner')),
	CONSTRAINT "referral_links_status" CHECK("referral_links"."status" in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `referral_links_code` ON `referral_links` (`code_key`,`program_id`);
--> statement-breakpoint
CREATE INDEX `referral_links_partner` ON `referral_links` (`partner_id`,`code_key`);
--> statement-breakpoint
CREATE TABLE `payment_details` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`method` text,
	`last4` text,
	`ciphertext` text,
	`seal_id` text NOT NULL,
	`digest` text,
	`set_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payment_details_method" CHECK("payment_details"."method" in ('paypal', 'wise', 'bank', 'other')),
	CONSTRAINT "payment_details_cleared" CHECK("payment_details"."method" is not null or coalesce("payment_details"."last4", "payment_details"."ciphertext", "payment_details"."digest") is null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_details_partner` ON `payment_details` (`partner_id`);
--> statement-breakpoint
CREATE INDEX `payment_details_program` ON `payment_details` (`program_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_details_seal` ON `payment_details` (`seal_id`);
--> statement-breakpoint
CREATE TABLE `adjustments` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`reason_id` integer NOT NULL,
	`partner_note_id` integer,
	`reference` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reason_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "adjustments_amount" CHECK("adjustments"."amount_cents" <> 0 and abs("adjustments"."amount_cents") <= 100000000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_reference` ON `adjustments` (`program_id`,`partner_id`,`reference`);
--> statement-breakpoint
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
	`payment_id` integer,
	`details_changed_at` integer,
	`before_cents` integer,
	`amount_cents` integer NOT NULL,
	`commissions` integer NOT NULL,
	`commissions_cents` integer NOT NULL,
	`adjustments_cents` integer NOT NULL,
	`failed_at` integer,
	`failed_by` text,
	`failure_id` integer,
	`partner_note_id` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`payout_id`) REFERENCES `payouts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`payment_id`) REFERENCES `payment_details`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`failure_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payout_lines_state" CHECK("payout_lines"."state" in ('proposed', 'skipped', 'live', 'failed')),
	CONSTRAINT "payout_lines_reason" CHECK(("payout_lines"."state" = 'skipped') = ("payout_lines"."reason" is not null)),
	CONSTRAINT "payout_lines_skipped" CHECK("payout_lines"."reason" in ('below_minimum', 'negative', 'paused', 'details_changed', 'no_details', 'over_limit')),
	CONSTRAINT "payout_lines_amount" CHECK("payout_lines"."state" = 'skipped' or "payout_lines"."amount_cents" >= 1),
	CONSTRAINT "payout_lines_commissions" CHECK("payout_lines"."commissions" >= 0 and "payout_lines"."commissions_cents" >= 0),
	CONSTRAINT "payout_lines_failed" CHECK(("payout_lines"."state" = 'failed') = ("payout_lines"."failed_at" is not null and "payout_lines"."failed_by" is not null and "payout_lines"."failure_id" is not null)),
	CONSTRAINT "payout_lines_partner_note" CHECK("payout_lines"."partner_note_id" is null or "payout_lines"."state" = 'failed')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_lines_partner` ON `payout_lines` (`payout_id`,`partner_id`);
--> statement-breakpoint
CREATE INDEX `payout_lines_of_partner` ON `payout_lines` (`partner_id`);
--> statement-breakpoint
CREATE INDEX `payout_lines_state` ON `payout_lines` (`payout_id`,`state`);
--> statement-breakpoint
CREATE TABLE `payout_ranges` (
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer NOT NULL,
	`to_number` integer NOT NULL,
	`from_number` integer NOT NULL,
	`payout_id` integer NOT NULL,
	PRIMARY KEY(`program_id`, `currency`, `partner_id`, `to_number`),
	FOREIGN KEY (`payout_id`) REFERENCES `payouts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payout_ranges_order" CHECK("payout_ranges"."from_number" < "payout_ranges"."to_number" and "payout_ranges"."from_number" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `payout_ranges_payout` ON `payout_ranges` (`payout_id`);
--> statement-breakpoint
CREATE TABLE `payouts` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`reference` text NOT NULL,
	`status` text NOT NULL,
	`until` integer NOT NULL,
	`cut` integer NOT NULL,
	`minimum_cents` integer NOT NULL,
	`partner_ids` text,
	`total_cents` integer NOT NULL,
	`line_count` integer NOT NULL,
	`paid_at` integer,
	`note_id` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`finalized_at` integer,
	`finalized_by` text,
	`finalized_number` integer,
	`confirmed_at` integer,
	`confirmed_by` text,
	`canceled_at` integer,
	`canceled_by` text,
	`canceled_number` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payouts_status" CHECK("payouts"."status" in ('draft', 'final', 'paid', 'canceled')),
	CONSTRAINT "payouts_currency" CHECK(length("payouts"."currency") = 3),
	CONSTRAINT "payouts_minimum" CHECK("payouts"."minimum_cents" >= 1),
	CONSTRAINT "payouts_total" CHECK("payouts"."total_cents" >= "payouts"."line_count" and "payouts"."line_count" >= 1),
	CONSTRAINT "payouts_finalized" CHECK(case "payouts"."status" when 'draft' then "payouts"."finalized_at" is null when 'canceled' then 1 else "payouts"."finalized_at" is not null end
      and ("payouts"."finalized_at" is null) = ("payouts"."finalized_by" is null)
      and ("payouts"."finalized_at" is null) = ("payouts"."finalized_number" is null)),
	CONSTRAINT "payouts_cut" CHECK("payouts"."cut" >= 0 and coalesce("payouts"."cut" < "payouts"."finalized_number", 1)),
	CONSTRAINT "payouts_confirmed" CHECK(("payouts"."status" = 'paid') = ("payouts"."confirmed_at" is not null and "payouts"."confirmed_by" is not null and "payouts"."paid_at" is not null)),
	CONSTRAINT "payouts_canceled" CHECK(("payouts"."status" = 'canceled') = ("payouts"."canceled_at" is not null and "payouts"."canceled_by" is not null and "payouts"."canceled_number" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_reference` ON `payouts` (`program_id`,`reference`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_draft` ON `payouts` (`program_id`,`currency`) WHERE status = 'draft';
--> statement-breakpoint
CREATE TABLE `foreign_codes` (
	`code_key` text NOT NULL,
	`program_id` integer NOT NULL,
	`destination_url` text,
	PRIMARY KEY(`code_key`, `program_id`),
	FOREIGN KEY (`program_id`) REFERENCES `program_places`(`program_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `program_places` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`shard` integer NOT NULL,
	`operation_id` text,
	`website_url` text,
	`is_archived` integer DEFAULT false NOT NULL,
	`move_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `program_places_operation_id_unique` ON `program_places` (`operation_id`);
--> statement-breakpoint
CREATE INDEX `program_places_workspace` ON `program_places` (`workspace_id`,`program_id`);
--> statement-breakpoint
CREATE INDEX `program_places_moved` ON `program_places` (`move_id`) WHERE "program_places"."move_id" is not null;
--> statement-breakpoint
CREATE TABLE `commission_policies` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer,
	`group_id` integer,
	`version` integer NOT NULL,
	`type` text NOT NULL,
	`rate_bps` integer,
	`amount_cents` integer,
	`currency` text,
	`scope` text NOT NULL,
	`duration_months` integer,
	`hold_days` integer NOT NULL,
	`min_sale_cents` integer,
	`max_commission_cents` integer,
	`rules` text,
	`effective_from` integer NOT NULL,
	`is_latest` integer DEFAULT true NOT NULL,
	`operation_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `partner_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commission_policies_type" CHECK(case "commission_policies"."type" when 'percent' then coalesce("commission_policies"."rate_bps" between 0 and 10000, 0) when 'flat' then coalesce("commission_policies"."amount_cents" >= 0, 0) and "commission_policies"."currency" is not null else "commission_policies"."type" = 'none' end),
	CONSTRAINT "commission_policies_owner" CHECK("commission_policies"."partner_id" is null or "commission_policies"."group_id" is null),
	CONSTRAINT "commission_policies_scope" CHECK(case "commission_policies"."scope" when 'recurring' then coalesce("commission_policies"."duration_months" >= 1, 0) else "commission_policies"."scope" in ('one_time', 'lifetime') end),
	CONSTRAINT "commission_policies_limits" CHECK("commission_policies"."currency" is not null or ("commission_policies"."min_sale_cents" is null and "commission_policies"."max_commission_cents" is null)),
	CONSTRAINT "commission_policies_hold" CHECK("commission_policies"."hold_days" between 0 and 365)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `commission_policies_version` ON `commission_policies` (`program_id`,`version`);
--> statement-breakpoint
CREATE INDEX `commission_policies_owner` ON `commission_policies` (`program_id`,`partner_id`,`group_id`,`effective_from`,`version`);
--> statement-breakpoint
CREATE INDEX `commission_policies_current` ON `commission_policies` (`program_id`,`partner_id`,`group_id`) WHERE is_latest and type <> 'none';
--> statement-breakpoint
CREATE TABLE `program_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`origin_id` integer,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`book` text NOT NULL,
	`hash` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`retires_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "program_keys_scopes" CHECK("program_keys"."scopes" in ('track', 'read', 'track read', 'manage', 'track manage', 'read manage', 'track read manage')),
	CONSTRAINT "program_keys_book" CHECK("program_keys"."book" in ('both', 'test')),
	CONSTRAINT "program_keys_test_book" CHECK("program_keys"."book" <> 'test' or "program_keys"."scopes" not like '%manage%')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `program_keys_hash` ON `program_keys` (`hash`);
--> statement-breakpoint
CREATE INDEX `program_keys_program` ON `program_keys` (`program_id`,`retires_at`);
--> statement-breakpoint
CREATE INDEX `program_keys_created` ON `program_keys` (`program_id`,`id`) WHERE "program_keys"."origin_id" is null;
--> statement-breakpoint
CREATE TABLE `programs` (
	`id` integer PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`website_url` text,
	`currency` text NOT NULL,
	`timezone` text NOT NULL,
	`lead_auth` text NOT NULL,
	`attribution_model` text NOT NULL,
	`attribution_window_days` integer NOT NULL,
	`window_until` text DEFAULT 'lead' NOT NULL,
	`cookie_window_days` integer,
	`payout_mode` text,
	`minimum_payout_cents` integer,
	`payout_terms` text,
	`payout_approval` text DEFAULT 'one_person' NOT NULL,
	`require_details` integer DEFAULT false NOT NULL,
	`partners_see_revenue` integer DEFAULT false NOT NULL,
	`payer_name` text,
	`payer_iban` text,
	`payer_bic` text,
	`self_referral` text DEFAULT 'hold' NOT NULL,
	`duplicate_source` text DEFAULT 'hold' NOT NULL,
	`blocked_source` text DEFAULT 'hold' NOT NULL,
	`blocked_hosts` text DEFAULT '[]' NOT NULL,
	`review_days` integer,
	`status` text NOT NULL,
	`place` text DEFAULT 'here' NOT NULL,
	`left_to` integer,
	`leave_by` integer,
	`move_id` integer,
	`archived_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "programs_currency" CHECK(length("programs"."currency") = 3),
	CONSTRAINT "programs_lead_auth" CHECK("programs"."lead_auth" in ('browser_allowed', 'server_required')),
	CONSTRAINT "programs_attribution_model" CHECK("programs"."attribution_model" in ('last_click', 'first_click')),
	CONSTRAINT "programs_attribution_window" CHECK("programs"."attribution_window_days" between 1 and 365),
	CONSTRAINT "programs_window_until" CHECK("programs"."window_until" in ('lead', 'first_sale')),
	CONSTRAINT "programs_cookie_window" CHECK("programs"."cookie_window_days" between 1 and 365),
	CONSTRAINT "programs_minimum_payout" CHECK("programs"."minimum_payout_cents" >= 1),
	CONSTRAINT "programs_payout_approval" CHECK("programs"."payout_approval" in ('one_person', 'two_people')),
	CONSTRAINT "programs_payer" CHECK(("programs"."payer_name" is null) = ("programs"."payer_iban" is null)),
	CONSTRAINT "programs_payer_bic" CHECK("programs"."payer_bic" is null or "programs"."payer_iban" is not null),
	CONSTRAINT "programs_self_referral" CHECK("programs"."self_referral" in ('off', 'flag', 'hold')),
	CONSTRAINT "programs_duplicate_source" CHECK("programs"."duplicate_source" in ('off', 'flag', 'hold')),
	CONSTRAINT "programs_blocked_source" CHECK("programs"."blocked_source" in ('off', 'flag', 'hold')),
	CONSTRAINT "programs_blocked_hosts" CHECK(json_type("programs"."blocked_hosts") = 'array'),
	CONSTRAINT "programs_review_days" CHECK("programs"."review_days" between 1 and 90),
	CONSTRAINT "programs_status" CHECK("programs"."status" in ('active', 'paused')),
	CONSTRAINT "programs_place" CHECK("programs"."place" in ('here', 'leaving', 'left', 'arriving')),
	CONSTRAINT "programs_left_to" CHECK(("programs"."place" in ('left', 'arriving')) = ("programs"."left_to" is not null)),
	CONSTRAINT "programs_leave_by" CHECK("programs"."place" <> 'leaving' or "programs"."leave_by" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `programs_moved` ON `programs` (`move_id`) WHERE "programs"."move_id" is not null;
--> statement-breakpoint
CREATE INDEX `programs_moving` ON `programs` (`leave_by`) WHERE "programs"."leave_by" is not null;
--> statement-breakpoint
CREATE TABLE `recent_hours` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`hour` integer NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`leads` integer DEFAULT 0 NOT NULL,
	`sales` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `hour`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `refunds` (
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
	`counted_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refunds_asked" CHECK(case when "refunds"."asked" in ('cancel', 'cancel_total') then "refunds"."refund_id" is not null else "refunds"."asked" in ('rest', 'amount', 'total') end),
	CONSTRAINT "refunds_told" CHECK("refunds"."told_cents" is null or ("refunds"."told_cents" >= 0 and "refunds"."asked" not in ('rest', 'cancel'))),
	CONSTRAINT "refunds_total" CHECK("refunds"."refunded_total_cents" >= 0),
	CONSTRAINT "refunds_counted" CHECK("refunds"."counted_cents" >= 0),
	CONSTRAINT "refunds_status" CHECK("refunds"."status" in ('refunded', 'reversed', 'no_commission', 'restored', 'skipped'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `refunds_sale` ON `refunds` (`sale_id`);
--> statement-breakpoint
CREATE INDEX `refunds_recent` ON `refunds` (`program_id`,`is_test`,`occurred_at`,`partner_id`);
--> statement-breakpoint
CREATE TABLE `program_retention` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`click_at` integer DEFAULT 0 NOT NULL,
	`click_row` integer DEFAULT 0 NOT NULL,
	`late_clicks` integer DEFAULT 0 NOT NULL,
	`event_is_test` integer DEFAULT false NOT NULL,
	`event_id` text DEFAULT '' NOT NULL,
	`event_link_id` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `program_retention_due` ON `program_retention` (`due_at`);
--> statement-breakpoint
CREATE TABLE `removed_clicks` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`day` text NOT NULL,
	`partner_id` integer NOT NULL,
	`clicks` integer NOT NULL,
	`unique_clicks` integer NOT NULL,
	`uncounted_clicks` integer NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `day`, `partner_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sales` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`transaction_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`customer_id` integer,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`sent_customer_key` text,
	`sent_click_id` text,
	`is_other_key` integer DEFAULT false NOT NULL,
	`sale_type` text NOT NULL,
	`is_recurring` integer NOT NULL,
	`subscription_id` text,
	`subscription_interval` text,
	`product_id` text,
	`event_name` text,
	`line_items` text,
	`items` text,
	`coupons` text,
	`partner_id` integer,
	`partner_code` text,
	`reason` text,
	`click_age_days` integer,
	`window_days` integer,
	`refunded_cents` integer NOT NULL,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	`corrected_sale_id` integer,
	`correction` integer,
	`is_erased` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`corrected_sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sales_amount" CHECK("sales"."amount_cents" between 1 and 100000000000),
	CONSTRAINT "sales_refunded" CHECK("sales"."refunded_cents" between 0 and "sales"."amount_cents"),
	CONSTRAINT "sales_corrected" CHECK(("sales"."corrected_sale_id" is null) = ("sales"."correction" is null) and coalesce("sales"."correction", 1) >= 1),
	CONSTRAINT "sales_attributed" CHECK(("sales"."partner_id" is null) = ("sales"."reason" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sales_transaction` ON `sales` (`program_id`,`is_test`,`transaction_id`);
--> statement-breakpoint
CREATE INDEX `sales_customer` ON `sales` (`customer_id`,`occurred_at`);
--> statement-breakpoint
CREATE INDEX `sales_subscription` ON `sales` (`program_id`,`is_test`,`subscription_id`,`occurred_at`) WHERE subscription_id is not null;
--> statement-breakpoint
CREATE INDEX `sales_other_key` ON `sales` (`program_id`,`is_test`,`sent_customer_key`) WHERE is_other_key = 1;
--> statement-breakpoint
CREATE UNIQUE INDEX `sales_correction` ON `sales` (`corrected_sale_id`,`correction`) WHERE corrected_sale_id is not null;
--> statement-breakpoint
CREATE INDEX `sales_recent` ON `sales` (`program_id`,`is_test`,`occurred_at`,`partner_id`);
--> statement-breakpoint
CREATE TABLE `id_floors` (
	`id` integer PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `shard_identity` (
	`number` integer PRIMARY KEY NOT NULL,
	`installation` text NOT NULL,
	CONSTRAINT "shard_identity_number" CHECK("shard_identity"."number" between 0 and 999)
) STRICT;
--> statement-breakpoint
CREATE TABLE `id_ranges` (
	`range` integer PRIMARY KEY NOT NULL,
	`shard` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `program_moves` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`from_shard` integer NOT NULL,
	`to_shard` integer NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `program_places`(`program_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "program_moves_state" CHECK("program_moves"."state" in ('open', 'done', 'abandoned'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `program_moves_open` ON `program_moves` (`program_id`) WHERE "program_moves"."state" = 'open';
--> statement-breakpoint
CREATE TABLE `shards` (
	`number` integer PRIMARY KEY NOT NULL,
	`location` text,
	`is_open` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `account_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`operation_id` text NOT NULL,
	`action` text NOT NULL,
	`device` text,
	`place` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "account_events_action" CHECK("account_events"."action" in ('signed_in', 'signed_in_with_recovery_code', 'sign_in_failed', 'signed_out', 'session_ended', 'other_sessions_ended', 'password_changed', 'password_reset', 'two_factor_turned_on', 'two_factor_turned_off', 'two_factor_removed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_events_operation` ON `account_events` (`operation_id`);
--> statement-breakpoint
CREATE INDEX `account_events_user` ON `account_events` (`user_id`);
--> statement-breakpoint
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`);
--> statement-breakpoint
CREATE TABLE `partner_sign_ups` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `rate_limits` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`last_request` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_limits_last_request` ON `rate_limits` (`last_request`);
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`user_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`used_by` text,
	`used_at` integer,
	PRIMARY KEY(`user_id`, `code_hash`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `second_factors` (
	`user_id` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`confirmed_at` integer,
	`last_step` integer NOT NULL,
	`used_by` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`device` text,
	`place` text,
	`confirmed_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_no_traces" CHECK("sessions"."ip_address" is null and "sessions"."user_agent" is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token` ON `sessions` (`token`);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);
--> statement-breakpoint
CREATE INDEX `sessions_expires` ON `sessions` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `sign_up_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`used_by` text,
	`used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`used_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `sign_up_tokens_unused` ON `sign_up_tokens` (`expires_at`) WHERE used_by is null;
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);
--> statement-breakpoint
CREATE TABLE `verifications` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `verifications_identifier` ON `verifications` (`identifier`);
--> statement-breakpoint
CREATE INDEX `verifications_value` ON `verifications` (`value`);
--> statement-breakpoint
CREATE INDEX `verifications_expires` ON `verifications` (`expires_at`);
--> statement-breakpoint
CREATE TABLE `verification_runs` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`click` text NOT NULL,
	`lead` text NOT NULL,
	`sale` text NOT NULL,
	`is_attributed` integer NOT NULL,
	`hour_at` integer NOT NULL,
	`runs_in_hour` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "verification_runs_hour" CHECK("verification_runs"."runs_in_hour" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`webhook_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`seq` integer,
	`type` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer,
	`failed_at` integer,
	PRIMARY KEY(`webhook_id`, `event_id`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_deliveries_ended" CHECK(("webhook_deliveries"."due_at" is null) = ("webhook_deliveries"."failed_at" is not null))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook_id`,`due_at`) WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_program` ON `webhook_deliveries` (`program_id`,`failed_at`);
--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`seal_id` text PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`webhook_id` integer NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_secrets_webhook` ON `webhook_secrets` (`webhook_id`);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_program` ON `webhook_secrets` (`program_id`);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`types` text,
	`status` text NOT NULL,
	`disabled_by` text,
	`disabled_at` integer,
	`cursor` integer NOT NULL,
	`replays` text DEFAULT '[]' NOT NULL,
	`failing_since` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhooks_status" CHECK("webhooks"."status" in ('active', 'disabled')),
	CONSTRAINT "webhooks_disabled_by" CHECK("webhooks"."disabled_by" in ('member', 'failures')),
	CONSTRAINT "webhooks_disabled" CHECK(("webhooks"."status" = 'disabled') = ("webhooks"."disabled_by" is not null) and ("webhooks"."disabled_by" is null) = ("webhooks"."disabled_at" is null)),
	CONSTRAINT "webhooks_failing" CHECK(("webhooks"."failing_since" is null) = ("webhooks"."failures" = 0))
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhooks_program` ON `webhooks` (`program_id`);
--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`require_two_factor` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
-- Who agreed to which version, and when, is what the program can prove.
CREATE TRIGGER accepted_terms_no_update BEFORE UPDATE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;
--> statement-breakpoint
-- The same.
CREATE TRIGGER accepted_terms_no_delete BEFORE DELETE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;
--> statement-breakpoint
-- A deleted user becomes no partner by an invitation that they accepted just before.
CREATE TRIGGER account_partners_of_users BEFORE INSERT ON account_partners
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.account_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- What was booked is corrected by another adjustment.
CREATE TRIGGER adjustments_no_update BEFORE UPDATE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
-- Its ledger entry would stand for nothing.
CREATE TRIGGER adjustments_no_delete BEFORE DELETE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
CREATE TRIGGER adjustments_no_replace BEFORE INSERT ON adjustments
WHEN EXISTS (SELECT 1 FROM adjustments WHERE id = new.id)
  OR EXISTS (
    SELECT 1 FROM adjustments
    WHERE program_id = new.program_id AND partner_id = new.partner_id AND reference = new.reference
  )
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
-- One that an open page approves is told as the partner it makes.
CREATE TRIGGER applications_told AFTER INSERT ON applications
WHEN new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;
--> statement-breakpoint
-- One row for each account, which may apply again.
CREATE TRIGGER applications_told_again AFTER UPDATE OF status ON applications
WHEN old.status <> 'pending' AND new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;
--> statement-breakpoint
-- The trail is evidence: not even an operator rewrites it. An erasure takes a person's name out of it.
CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.operation_id <> old.operation_id
  OR new.actor_id <> old.actor_id OR new.action <> old.action OR new.subject <> old.subject
  OR new.created_at <> old.created_at
  OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.erased_at IS NULL)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
-- A gap in the trail would go unseen.
CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
CREATE TRIGGER audit_entries_no_replace BEFORE INSERT ON audit_entries
WHEN EXISTS (SELECT 1 FROM audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
-- Charts read days, not clicks. A visitor is counted once a day and partner.
CREATE TRIGGER clicks_counted AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch)
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, clicks, unique_clicks)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1,
    NOT EXISTS (
      SELECT 1 FROM clicks c
      WHERE c.day = new.day AND c.visitor = new.visitor AND c.partner_id IS new.partner_id AND c.id <> new.id
        AND NOT (c.is_bot OR c.is_prefetch)
    )
  )
  ON CONFLICT DO UPDATE SET clicks = clicks + 1, unique_clicks = unique_clicks + excluded.unique_clicks;
END;
--> statement-breakpoint
-- Bots and prefetches are shown apart, so that a missing click can be explained.
CREATE TRIGGER clicks_uncounted AFTER INSERT ON clicks
WHEN new.is_bot OR new.is_prefetch
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, uncounted_clicks)
  VALUES (new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1)
  ON CONFLICT DO UPDATE SET uncounted_clicks = uncounted_clicks + 1;
END;
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
-- Readiness shows the last 24 hours without counting events.
CREATE TRIGGER clicks_of_the_hour AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch) AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, clicks)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET clicks = clicks + 1;
END;
--> statement-breakpoint
-- Charts go on counting it. A visitor is taken away with the last of their clicks of that day and partner.
CREATE TRIGGER clicks_removed AFTER DELETE ON clicks
BEGIN
  INSERT INTO removed_clicks (program_id, is_test, day, partner_id, clicks, unique_clicks, uncounted_clicks)
  VALUES (
    old.program_id, old.is_test, old.day, coalesce(old.partner_id, 0), NOT (old.is_bot OR old.is_prefetch),
    NOT (old.is_bot OR old.is_prefetch) AND NOT EXISTS (
      SELECT 1 FROM clicks c
      WHERE c.day = old.day AND c.visitor = old.visitor AND c.partner_id IS old.partner_id
        AND NOT (c.is_bot OR c.is_prefetch)
    ),
    old.is_bot OR old.is_prefetch
  )
  ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks, unique_clicks = unique_clicks + excluded.unique_clicks,
    uncounted_clicks = uncounted_clicks + excluded.uncounted_clicks;

  DELETE FROM click_event_ids
  WHERE program_id = old.program_id AND is_test = old.is_test AND event_id = old.event_id
    AND link_id = coalesce(old.link_id, 0) AND click_id = old.click_id;
END;
--> statement-breakpoint
-- Retention goes through a program's clicks once, in their order: back to one that comes after that.
CREATE TRIGGER clicks_late AFTER INSERT ON clicks
WHEN NOT new.is_test AND new.occurred_at < new.created_at - 2592000000
BEGIN
  UPDATE program_retention SET
    late_clicks = late_clicks + 1,
    click_row = iif(new.occurred_at <= click_at, 0, click_row),
    click_at = min(click_at, new.occurred_at)
  WHERE program_id = new.program_id;
END;
--> statement-breakpoint
-- Lists find the policy in force of each partner without comparing versions.
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
--> statement-breakpoint
-- Why somebody waited for their money is kept for ever.
CREATE TRIGGER commission_signals_no_delete BEFORE DELETE ON commission_signals
BEGIN
  SELECT raise(ABORT, 'signals are kept');
END;
--> statement-breakpoint
-- A signal ends once. Nothing else of it changes: its evidence names nobody.
CREATE TRIGGER commission_signals_end_once
BEFORE UPDATE OF commission_id, code, effect, evidence, note_id, partner_id, raised_at, review_until, ended_at, ended_by
ON commission_signals
WHEN old.ended_at IS NOT NULL OR new.ended_at IS NULL OR new.commission_id <> old.commission_id
  OR new.code <> old.code OR new.effect <> old.effect OR new.evidence <> old.evidence
  OR new.note_id IS NOT old.note_id OR new.partner_id IS NOT old.partner_id OR new.raised_at <> old.raised_at
  OR new.review_until IS NOT old.review_until
BEGIN
  SELECT raise(ABORT, 'a signal ends once');
END;
--> statement-breakpoint
-- Only what rests on a browser's evidence alone, or on a coupon, and wasn't decided, may move to another partner, and to nobody
-- only the latter. A sub-id is filled in later if the click was kept during an outage,
-- and goes with an erased customer.
CREATE TRIGGER commissions_attribution_stays BEFORE UPDATE OF partner_id, source, sub ON commissions
WHEN old.partner_id IS NOT NULL AND (
  new.partner_id IS NOT old.partner_id OR new.source IS NOT old.source
  OR (old.sub IS NOT NULL AND new.sub IS NOT old.sub AND NOT (new.sub IS NULL AND EXISTS (
    SELECT 1 FROM sales s WHERE s.id = old.sale_id AND s.is_erased
  )))
) AND (
  (old.source <> 'coupon' AND (old.is_unconfirmed = 0 OR new.partner_id IS NULL))
  OR old.status IN ('approved', 'rejected') OR old.approved_at IS NOT NULL
)
BEGIN
  SELECT raise(ABORT, 'the attribution of a sale is final');
END;
--> statement-breakpoint
-- The amount stands in the account `pending` until the approval, which gives the number, and in `payable` from then on.
-- Before a move's own entries are written, an approval still covers those of the partner who had the commission.
CREATE TRIGGER commissions_balanced AFTER UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND (old.payable_number IS NULL) <> (new.payable_number IS NULL) AND new.amount_cents <> 0
BEGIN
  UPDATE partner_balances SET
    pending_cents = pending_cents - iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents),
    payable_cents = payable_cents + iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents)
  WHERE program_id = new.program_id AND currency = new.currency
    AND partner_id = coalesce(old.partner_id, new.partner_id);
END;
--> statement-breakpoint
-- A live line holds its commissions by their numbers: one that is in it keeps its number, and no other gets one of its.
CREATE TRIGGER commissions_numbered BEFORE UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND new.payable_number IS NOT old.payable_number AND EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND (r.to_number >= new.payable_number OR (
      r.to_number >= old.payable_number AND r.from_number < old.payable_number AND (
        old.status = 'approved'
        OR old.reversed_number > (SELECT p.finalized_number FROM payouts p WHERE p.id = r.payout_id)
      )
    ))
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;
--> statement-breakpoint
-- Approved and in a live line, it is paid, or reversed by a refund, but not decided again.
CREATE TRIGGER commissions_held BEFORE UPDATE OF status ON commissions
WHEN new.is_test = 0 AND old.status = 'approved' AND new.status NOT IN ('approved', 'reversed') AND EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = old.program_id AND r.currency = old.currency AND r.partner_id = old.partner_id
    AND r.to_number >= old.payable_number AND r.from_number < old.payable_number
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;
--> statement-breakpoint
-- Nor may a commission begin with a number that a live line holds.
CREATE TRIGGER commissions_born_later BEFORE INSERT ON commissions
WHEN new.is_test = 0 AND new.payable_number IS NOT NULL AND EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number >= new.payable_number
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;
--> statement-breakpoint
-- A hold alone takes an approval back, and never that of a person.
CREATE TRIGGER commissions_approved BEFORE UPDATE OF status ON commissions
WHEN old.status = 'approved' AND new.status = 'pending' AND (old.approved_by = 'person' OR new.held_at IS NULL)
BEGIN
  SELECT raise(ABORT, 'only a hold takes an approval back');
END;
--> statement-breakpoint
-- A coupon's attribution is final from its first approval on, whoever or whatever approves.
CREATE TRIGGER commissions_of_coupon_approved AFTER UPDATE OF approved_at ON commissions
WHEN new.source = 'coupon' AND old.approved_at IS NULL AND new.approved_at IS NOT NULL
BEGIN
  UPDATE customers SET confirmed_at = new.approved_at
  WHERE id = (SELECT customer_id FROM sales WHERE id = new.sale_id)
    AND source = 'coupon' AND partner_id = new.partner_id AND confirmed_at IS NULL;
END;
--> statement-breakpoint
-- Where nothing is held, a sale's commission begins approved.
CREATE TRIGGER commissions_of_coupon_born_approved AFTER INSERT ON commissions
WHEN new.source = 'coupon' AND new.approved_at IS NOT NULL
BEGIN
  UPDATE customers SET confirmed_at = new.approved_at
  WHERE id = (SELECT customer_id FROM sales WHERE id = new.sale_id)
    AND source = 'coupon' AND partner_id = new.partner_id AND confirmed_at IS NULL;
END;
--> statement-breakpoint
-- A sale and its commission are one, and the commission has what the attribution rests on.
CREATE TRIGGER commissions_sale_told AFTER INSERT ON commissions
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (new.program_id, new.is_test, 'sale.recorded', new.sale_id, json_array(new.partner_id, new.source));
END;
--> statement-breakpoint
-- The sale is another partner's now, or rests on something else.
CREATE TRIGGER commissions_sale_moved AFTER UPDATE OF partner_id, source ON commissions
WHEN old.partner_id IS NOT new.partner_id OR old.source IS NOT new.source
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (
    new.program_id, new.is_test, 'sale.updated', new.sale_id, json_array(old.partner_id, old.source),
    json_array(new.partner_id, new.source)
  );
END;
--> statement-breakpoint
-- One event for each commit, whatever its statements change: `event_seq` is the last one. A commission that has earned nothing
-- so far is created by its first entry. What is wholly reversed stays approved while a line has it that was finalized before, as in the lists.
CREATE TRIGGER commissions_told
AFTER UPDATE OF partner_id, status, amount_cents, is_unconfirmed, held_at, hold_until ON commissions
WHEN new.event_seq IS old.event_seq AND (old.status <> 'void' OR old.event_seq IS NOT NULL) AND (
  old.status <> new.status OR old.amount_cents <> new.amount_cents OR old.partner_id IS NOT new.partner_id
  OR old.is_unconfirmed <> new.is_unconfirmed OR (old.held_at IS NULL) <> (new.held_at IS NULL)
  OR old.hold_until IS NOT new.hold_until
)
BEGIN
  UPDATE events SET after = json_array(
    new.partner_id, iif(new.status = 'reversed' AND new.reversed_number > line.number, 'approved', new.status), new.amount_cents,
    new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until
  )
  FROM (
    SELECT CASE WHEN 'reversed' IN (old.status, new.status) THEN (
      SELECT p.finalized_number FROM payout_ranges r JOIN payouts p ON p.id = r.payout_id
      WHERE new.is_test = 0 AND r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
        AND r.to_number >= new.payable_number AND r.from_number < new.payable_number
    ) END AS number
  ) line
  WHERE program_id = new.program_id AND is_test = new.is_test AND seq = new.event_seq AND subject = new.id
    AND (epoch, batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= events.at);

  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, new.is_test, 'commission.updated', new.id,
    json_array(
      old.partner_id, iif(old.status = 'reversed' AND old.reversed_number > line.number, 'approved', old.status), old.amount_cents,
      old.is_unconfirmed, old.status = 'pending' AND old.held_at IS NOT NULL, old.hold_until
    ),
    json_array(
      new.partner_id, iif(new.status = 'reversed' AND new.reversed_number > line.number, 'approved', new.status), new.amount_cents,
      new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until
    )
  FROM (
    SELECT CASE WHEN 'reversed' IN (old.status, new.status) THEN (
      SELECT p.finalized_number FROM payout_ranges r JOIN payouts p ON p.id = r.payout_id
      WHERE new.is_test = 0 AND r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
        AND r.to_number >= new.payable_number AND r.from_number < new.payable_number
    ) END AS number
  ) line
  WHERE NOT EXISTS (
    SELECT 1 FROM events e
    WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.seq = new.event_seq AND e.subject = new.id
      AND (e.epoch, e.batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= e.at)
  );

  UPDATE commissions
  SET event_seq = (SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test)
  WHERE id = new.id AND NOT EXISTS (
    SELECT 1 FROM events e
    WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.seq = new.event_seq AND e.subject = new.id
      AND (e.epoch, e.batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main' AND w.at <= e.at)
  );
END;
--> statement-breakpoint
-- A code stays taken.
CREATE TRIGGER coupon_codes_no_update BEFORE UPDATE ON coupon_codes
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;
--> statement-breakpoint
-- Somebody else could take it.
CREATE TRIGGER coupon_codes_no_delete BEFORE DELETE ON coupon_codes
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;
--> statement-breakpoint
-- `insert or replace` deletes the row of the same key, and no delete trigger hears of it.
CREATE TRIGGER coupon_codes_no_replace BEFORE INSERT ON coupon_codes
WHEN EXISTS (SELECT 1 FROM coupon_codes WHERE program_id = new.program_id AND code_key = new.code_key)
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;
--> statement-breakpoint
-- Sales were decided by it.
CREATE TRIGGER coupons_partner_stays BEFORE UPDATE OF program_id, partner_id ON coupons
WHEN new.program_id <> old.program_id OR new.partner_id <> old.partner_id
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its partner');
END;
--> statement-breakpoint
-- Also by a coupon, an import or a person.
CREATE TRIGGER customers_moved AFTER UPDATE OF partner_id ON customers
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (new.program_id, new.is_test, 'lead.moved', new.id, json_array(old.partner_id), json_array(new.partner_id));
END;
--> statement-breakpoint
-- Nothing else tells whose a customer is that no call has named before. A lead or a sale does of the others.
CREATE TRIGGER customers_assigned AFTER INSERT ON customers
WHEN new.source IN ('import', 'person')
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (new.program_id, new.is_test, 'lead.moved', new.id, json_array(NULL), json_array(new.partner_id));
END;
--> statement-breakpoint
-- A receipt is proof: it ends once, and nothing else of it changes.
CREATE TRIGGER erasures_end_once BEFORE UPDATE ON erasures
WHEN old.erased_at IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.subject <> old.subject
  OR new.customer_ids <> old.customer_ids OR new.requested_by <> old.requested_by OR new.requested_at <> old.requested_at OR new."before" <> old."before"
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;
--> statement-breakpoint
-- In one commit nobody else can change a sum: an erasure that does is undone.
CREATE TRIGGER erasures_keep_sums BEFORE UPDATE OF erased_at ON erasures
WHEN new.erased_at = old.requested_at AND new.after <> old."before"
BEGIN
  SELECT raise(ABORT, 'an erasure changes no sum');
END;
--> statement-breakpoint
-- Nor is it lost.
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
BEGIN
  SELECT raise(ABORT, 'receipts are kept');
END;
--> statement-breakpoint
-- Triggers tell what happened, and this one when, and under which number: the next of the book. A batch of the Ledger is a
-- commit, and has its instant in the row that it begins with. Events that were written after the backup of a restored
-- database are gone, and their numbers must not come again: the feed leaps, by more than there can have been. To ask for
-- `feed.restarted` is to have it written if it is due.
CREATE TRIGGER events_numbered BEFORE INSERT ON events
WHEN new.seq = 0
BEGIN
  -- The verification's own partner appears nowhere.
  SELECT raise(IGNORE) WHERE new.is_test AND EXISTS (
    SELECT 1 FROM partners WHERE id = new.after ->> 0 AND is_synthetic
  );

  INSERT INTO events (program_id, is_test, seq, at, epoch, batch, type, subject, before, after)
  SELECT new.program_id, new.is_test, coalesce(last.seq, 0) + leap.by, max(w.restored_at, coalesce(last.at, 0)), w.epoch, w.seq,
    'feed.restarted', 0, json_array(coalesce(last.seq, 0)), json_array(coalesce(last.seq, 0) + leap.by)
  FROM ledger_writers w
  CROSS JOIN (SELECT 1000000000 + max(0, unixepoch() - 1767225600) * 1000 AS by) leap
  LEFT JOIN events last ON last.program_id = new.program_id AND last.is_test = new.is_test AND last.seq = (
    SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test
  )
  WHERE w.name = 'main' AND w.restored_at IS NOT NULL AND iif(
    last.seq IS NULL,
    w.restored_at > (SELECT created_at FROM programs WHERE id = new.program_id),
    w.restored_epoch > last.epoch
  );

  INSERT INTO events (program_id, is_test, seq, at, epoch, batch, type, subject, before, after)
  SELECT new.program_id, new.is_test, coalesce(last.seq, 0) + 1,
    max(coalesce(w.at, cast(unixepoch('subsec') * 1000 AS integer)), coalesce(last.at, 0)), coalesce(w.epoch, 0), coalesce(w.seq, 0),
    new.type, new.subject, new.before, new.after
  FROM (SELECT 1)
  LEFT JOIN ledger_writers w ON w.name = 'main'
  LEFT JOIN events last ON last.program_id = new.program_id AND last.is_test = new.is_test AND last.seq = (
    SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test
  )
  WHERE new.type <> 'feed.restarted';

  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- Each sixteenth event has twice as many looked at, so the feed never grows beyond its 30 days.
CREATE TRIGGER events_forgotten AFTER INSERT ON events
WHEN new.seq % 16 = 0
BEGIN
  DELETE FROM events
  WHERE program_id = new.program_id AND is_test = new.is_test AND seq IN (
    SELECT seq FROM events WHERE program_id = new.program_id AND is_test = new.is_test ORDER BY seq LIMIT 32
  ) AND at < new.at - 2592000000;
END;
--> statement-breakpoint
-- Sales were decided by it.
CREATE TRIGGER group_memberships_no_update BEFORE UPDATE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;
--> statement-breakpoint
-- The group before it would count again.
CREATE TRIGGER group_memberships_no_delete BEFORE DELETE ON group_memberships
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the row of the same key, and no delete trigger hears of it.
CREATE TRIGGER group_memberships_no_replace BEFORE INSERT ON group_memberships
WHEN EXISTS (
  SELECT 1 FROM group_memberships
  WHERE program_id = new.program_id AND partner_id = new.partner_id AND effective_from >= new.effective_from
)
BEGIN
  SELECT raise(ABORT, 'group memberships are append-only');
END;
--> statement-breakpoint
-- The group is a field of its partner.
CREATE TRIGGER group_memberships_told AFTER INSERT ON group_memberships
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, 0, 'partner.updated', p.id,
    json_array(p.status, p.external_id, p.is_risk_exempt, (
      SELECT m.group_id FROM group_memberships m
      WHERE m.program_id = new.program_id AND m.partner_id = p.id AND m.effective_from < new.effective_from
      ORDER BY m.effective_from DESC LIMIT 1
    )),
    json_array(p.status, p.external_id, p.is_risk_exempt, new.group_id)
  FROM partners p WHERE p.id = new.partner_id;
END;
--> statement-breakpoint
-- Charts read days, not leads.
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
-- Readiness shows the last 24 hours without counting events.
CREATE TRIGGER leads_of_the_hour AFTER INSERT ON leads
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET leads = leads + 1;
END;
--> statement-breakpoint
-- A lead without a partner isn't counted until it gets one.
CREATE TRIGGER leads_of_the_hour_attributed AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET leads = leads + 1;
END;
--> statement-breakpoint
-- And no longer, once it has none.
CREATE TRIGGER leads_of_the_hour_lost AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NULL
BEGIN
  UPDATE recent_hours SET leads = leads - 1
  WHERE program_id = old.program_id AND is_test = old.is_test AND hour = old.occurred_at / 3600000;
END;
--> statement-breakpoint
-- A provisional lead may come to nothing.
CREATE TRIGGER leads_told AFTER INSERT ON leads
WHEN NOT new.is_provisional
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (new.program_id, new.is_test, 'lead.recorded', new.id, json_array(new.partner_id));
END;
--> statement-breakpoint
-- What was booked is corrected by another entry.
CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
-- The accounts would no longer be the sum of the entries.
CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN
  SELECT raise(ABORT, 'ledger entries are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
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
      AND (amount_cents < 0) = (new.amount_cents < 0)
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
-- The one place where a commission's amount changes, so it is always the sum of its entries. The first entry creates it.
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  SELECT new.program_id, new.is_test, 'commission.created', c.id, json_array(
    c.partner_id, c.status, new.amount_cents, c.is_unconfirmed, c.status = 'pending' AND c.held_at IS NOT NULL, c.hold_until
  )
  FROM commissions c WHERE new.kind = 'earned' AND c.id = new.commission_id;
  UPDATE commissions SET
    amount_cents = amount_cents + new.amount_cents,
    event_seq = iif(
      new.kind = 'earned', (SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test), event_seq
    )
  WHERE id = new.commission_id;
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  VALUES (new.program_id, new.is_test, new.day, new.partner_id, new.currency, new.amount_cents)
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
--> statement-breakpoint
-- What a commission earns is pending until its approval, and payable from then on.
CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL AND new.is_test = 0
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, pending_cents, payable_cents)
  SELECT new.program_id, new.currency, new.partner_id,
    iif(c.payable_number IS NULL, new.amount_cents, 0), iif(c.payable_number IS NULL, 0, new.amount_cents)
  FROM commissions c WHERE c.id = new.commission_id
  ON CONFLICT DO UPDATE SET
    pending_cents = pending_cents + excluded.pending_cents, payable_cents = payable_cents + excluded.payable_cents;
END;
--> statement-breakpoint
-- The payment of a live line of a paid payout, or the return of a failed one, to the cent.
CREATE TRIGGER ledger_entries_of_payout BEFORE INSERT ON ledger_entries
WHEN new.payout_line_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.id = new.payout_line_id AND l.program_id = new.program_id AND l.partner_id = new.partner_id
    AND l.currency = new.currency AND new.is_test = 0 AND p.status = 'paid'
    AND CASE new.kind
      WHEN 'paid' THEN l.state = 'live' AND new.amount_cents = -l.amount_cents
      ELSE l.state = 'failed' AND new.amount_cents = l.amount_cents
    END
)
BEGIN
  SELECT raise(ABORT, 'not the payment of a line');
END;
--> statement-breakpoint
-- No entry by a person without the adjustment that gives the reason, to the cent.
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
-- A payment leaves the account `in payout`. One that came back is payable again.
CREATE TRIGGER ledger_entries_settled AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NULL
BEGIN
  INSERT INTO partner_balances (program_id, currency, partner_id, payable_cents, in_payout_cents, paid_cents)
  VALUES (
    new.program_id, new.currency, new.partner_id, iif(new.kind = 'paid', 0, new.amount_cents),
    iif(new.kind = 'paid', new.amount_cents, 0), iif(new.kind = 'adjusted', 0, -new.amount_cents)
  )
  ON CONFLICT DO UPDATE SET
    payable_cents = payable_cents + excluded.payable_cents, in_payout_cents = in_payout_cents + excluded.in_payout_cents,
    paid_cents = paid_cents + excluded.paid_cents;
END;
--> statement-breakpoint
-- A row that is made anew would begin at an epoch that earlier writers have.
CREATE TRIGGER ledger_writers_stay BEFORE DELETE ON ledger_writers
BEGIN
  SELECT raise(ABORT, 'a writer row is never deleted');
END;
--> statement-breakpoint
-- The fence: a batch begins by writing its writer's row. Only the newest epoch gets past, in the order of its sequence,
-- and only a claim raises the epoch: it begins the sequence at 0, where a batch has 1 or more. A writer that knows of a
-- later epoch than the row, because the database was restored, must claim it again.
CREATE TRIGGER ledger_writers_fence BEFORE UPDATE ON ledger_writers
WHEN NOT (
  (new.epoch > old.epoch AND new.seq = 0) OR (new.epoch = old.epoch AND new.seq = old.seq + 1)
)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;
--> statement-breakpoint
-- No row, no writing: a claim makes it. This also runs ahead of an upsert, which finds its row there.
CREATE TRIGGER ledger_writers_first BEFORE INSERT ON ledger_writers
WHEN new.seq <> 0 AND NOT EXISTS (SELECT 1 FROM ledger_writers WHERE name = new.name)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;
--> statement-breakpoint
-- A deleted user becomes no member by an invitation that they accepted just before.
CREATE TRIGGER memberships_of_users BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- A note may lose its text, when a person is erased, and nothing else.
CREATE TRIGGER notes_erased_only BEFORE UPDATE ON notes
WHEN new.text IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.kind <> old.kind
  OR new.subject <> old.subject
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- Audit entries name it.
CREATE TRIGGER notes_no_delete BEFORE DELETE ON notes
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
CREATE TRIGGER notes_no_replace BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- What partners have agreed to stays as they read it.
CREATE TRIGGER partner_terms_no_update BEFORE UPDATE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;
--> statement-breakpoint
-- Versions that were agreed to are named by their number.
CREATE TRIGGER partner_terms_no_delete BEFORE DELETE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;
--> statement-breakpoint
-- Names and addresses are read when the event is, and payment details never.
CREATE TRIGGER partners_created_told AFTER INSERT ON partners
WHEN NOT new.is_synthetic
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (
    new.program_id, 0, 'partner.created', new.id, json_array(new.status, new.external_id, new.is_risk_exempt, NULL)
  );
END;
--> statement-breakpoint
-- Only what callers can see.
CREATE TRIGGER partners_updated_told AFTER UPDATE OF name, email, status, external_id, is_risk_exempt ON partners
WHEN NOT new.is_synthetic AND (
  old.name <> new.name OR old.email IS NOT new.email OR old.status <> new.status
  OR old.external_id IS NOT new.external_id OR old.is_risk_exempt <> new.is_risk_exempt
)
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT new.program_id, 0, 'partner.updated', new.id,
    json_array(old.status, old.external_id, old.is_risk_exempt, g.id),
    json_array(new.status, new.external_id, new.is_risk_exempt, g.id)
  FROM (
    SELECT (
      SELECT m.group_id FROM group_memberships m WHERE m.program_id = new.program_id AND m.partner_id = new.id
      ORDER BY m.effective_from DESC LIMIT 1
    ) AS id
  ) g;
END;
--> statement-breakpoint
-- What an erasure has taken stays away, and the partner earns nothing any more.
CREATE TRIGGER partners_erased_for_good BEFORE UPDATE ON partners
WHEN old.erasure_id IS NOT NULL AND (
  new.erasure_id IS NOT old.erasure_id OR new.name <> old.name OR new.status <> old.status
  OR coalesce(new.email, new.email_hash, new.external_id) IS NOT NULL
)
BEGIN
  SELECT raise(ABORT, 'an erased partner stays erased');
END;
--> statement-breakpoint
-- Entries and audit entries name it.
CREATE TRIGGER payout_lines_stay BEFORE DELETE ON payout_lines
BEGIN
  SELECT raise(ABORT, 'a line is never deleted');
END;
--> statement-breakpoint
-- A payout that was finalized has the lines that its approver saw.
CREATE TRIGGER payout_lines_of_draft BEFORE INSERT ON payout_lines
WHEN NOT EXISTS (
  SELECT 1 FROM payouts p
  WHERE p.id = new.payout_id AND p.status = 'draft' AND p.program_id = new.program_id AND p.currency = new.currency
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;
--> statement-breakpoint
-- What was approved is what is paid. After that a line can only fail, once. An erased partner's lines lose the address,
-- and, unless they were paid, the name.
CREATE TRIGGER payout_lines_final BEFORE UPDATE ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status <> 'draft') AND (
  new.id <> old.id OR new.program_id <> old.program_id OR new.payout_id <> old.payout_id
  OR new.partner_id <> old.partner_id OR new.currency <> old.currency
  OR ((new.name <> old.name OR new.email IS NOT old.email) AND (
    NOT EXISTS (
      SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.subject = 'partner' AND e.erased_at IS NULL
    ) OR (new.name <> old.name AND old.state = 'live')
  ))
  OR new.payment_id IS NOT old.payment_id OR new.amount_cents <> old.amount_cents
  OR new.commissions <> old.commissions OR new.commissions_cents <> old.commissions_cents
  OR new.adjustments_cents <> old.adjustments_cents OR new.before_cents IS NOT old.before_cents
  OR new.reason IS NOT old.reason
  OR (old.state = 'failed' AND (
    new.failed_at <> old.failed_at OR new.failed_by <> old.failed_by OR new.failure_id <> old.failure_id
    OR new.partner_note_id IS NOT old.partner_note_id
  ))
  OR (new.state <> old.state AND (
    old.state <> 'live' OR new.state <> 'failed'
    OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status = 'paid')
  ))
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;
--> statement-breakpoint
-- The amount is payable again.
CREATE TRIGGER payout_lines_told AFTER UPDATE OF state ON payout_lines
WHEN old.state <> 'failed' AND new.state = 'failed'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'payout.line_failed', new.id);
END;
--> statement-breakpoint
-- Two live lines of a partner and currency never hold the same number.
CREATE TRIGGER payout_ranges_apart BEFORE INSERT ON payout_ranges
WHEN EXISTS (
  SELECT 1 FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number > new.from_number AND r.from_number < new.to_number
) OR NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = new.payout_id AND l.partner_id = new.partner_id AND l.state = 'live' AND p.status = 'final'
    AND p.program_id = new.program_id AND p.currency = new.currency AND new.to_number <= p.cut
)
BEGIN
  SELECT raise(ABORT, 'a number is in one live line');
END;
--> statement-breakpoint
-- Finalize inserts ranges, and only the end of their line deletes them.
CREATE TRIGGER payout_ranges_no_update BEFORE UPDATE ON payout_ranges
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;
--> statement-breakpoint
-- Without its range, a live line's commissions would be paid twice.
CREATE TRIGGER payout_ranges_stay BEFORE DELETE ON payout_ranges
WHEN EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = old.payout_id AND l.partner_id = old.partner_id AND l.state = 'live' AND p.status <> 'canceled'
)
BEGIN
  SELECT raise(ABORT, 'the ranges of a live line never change');
END;
--> statement-breakpoint
-- What was wholly reversed after the line was finalized was approved as long as the line had it.
CREATE TRIGGER payout_ranges_end_told AFTER DELETE ON payout_ranges
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT program_id, is_test, 'commission.updated', id,
    json_array(partner_id, 'approved', amount_cents, is_unconfirmed, 0, hold_until),
    json_array(partner_id, status, amount_cents, is_unconfirmed, 0, hold_until)
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
--> statement-breakpoint
-- A paid or canceled payout is over.
CREATE TRIGGER payouts_in_order BEFORE UPDATE OF status ON payouts
WHEN new.status <> old.status AND NOT CASE old.status
  WHEN 'draft' THEN new.status IN ('final', 'canceled')
  WHEN 'final' THEN new.status IN ('paid', 'canceled')
  ELSE 0
END
BEGIN
  SELECT raise(ABORT, 'a payout never goes back');
END;
--> statement-breakpoint
-- The cut and the totals decide who is paid what.
CREATE TRIGGER payouts_terms_stay BEFORE UPDATE ON payouts
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.currency <> old.currency OR new.cut <> old.cut
  OR new.until <> old.until OR new.reference <> old.reference OR new.minimum_cents <> old.minimum_cents
  OR new.partner_ids IS NOT old.partner_ids OR new.created_at <> old.created_at OR new.created_by <> old.created_by
  OR (old.status <> 'draft' AND (
    new.total_cents <> old.total_cents OR new.line_count <> old.line_count
    OR new.finalized_number IS NOT old.finalized_number
  ))
  OR (old.status IN ('paid', 'canceled') AND new.canceled_number IS NOT old.canceled_number)
BEGIN
  SELECT raise(ABORT, 'a final payout never changes');
END;
--> statement-breakpoint
-- Its entries stand in the books.
CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
BEGIN
  SELECT raise(ABORT, 'a payout is never deleted');
END;
--> statement-breakpoint
-- No line makes an account negative.
CREATE TRIGGER payouts_covered BEFORE UPDATE OF status ON payouts
WHEN old.status = 'draft' AND new.status = 'final' AND EXISTS (
  SELECT 1 FROM payout_lines l LEFT JOIN partner_balances b
    ON b.program_id = l.program_id AND b.currency = l.currency AND b.partner_id = l.partner_id
  WHERE l.payout_id = new.id AND l.state = 'live' AND l.amount_cents > coalesce(b.payable_cents, 0)
)
BEGIN
  SELECT raise(ABORT, 'a line pays what is payable');
END;
--> statement-breakpoint
-- Finalize moves what its lines pay from `payable` to `in payout`, and a cancel moves it back.
CREATE TRIGGER payouts_balanced AFTER UPDATE OF status ON payouts
WHEN (old.status = 'draft' AND new.status = 'final') OR (old.status = 'final' AND new.status = 'canceled')
BEGIN
  UPDATE partner_balances SET
    payable_cents = payable_cents - iif(new.status = 'final', l.amount_cents, -l.amount_cents),
    in_payout_cents = in_payout_cents + iif(new.status = 'final', l.amount_cents, -l.amount_cents)
  FROM payout_lines l
  WHERE l.payout_id = new.id AND l.state = 'live' AND partner_balances.program_id = l.program_id
    AND partner_balances.currency = l.currency AND partner_balances.partner_id = l.partner_id;
END;
--> statement-breakpoint
-- A draft is nobody's payout yet.
CREATE TRIGGER payouts_told AFTER UPDATE OF status ON payouts
WHEN old.status <> new.status AND (old.status = 'final' OR new.status = 'final')
BEGIN
  INSERT INTO events (program_id, is_test, type, subject)
  VALUES (
    new.program_id, 0,
    CASE new.status WHEN 'final' THEN 'payout.finalized' WHEN 'paid' THEN 'payout.confirmed' ELSE 'payout.canceled' END, new.id
  );
END;
--> statement-breakpoint
-- The directory has every program that home creates, whoever inserts it. A program on another shard is entered before it exists.
CREATE TRIGGER programs_placed
AFTER INSERT ON programs WHEN new.id < 1000000000000
BEGIN
  INSERT OR IGNORE INTO program_places (program_id, workspace_id, shard, created_at)
  VALUES (new.id, new.workspace_id, 0, new.created_at);
END;
--> statement-breakpoint
-- The other shard doesn't know of a restore of this one.
CREATE TRIGGER programs_leaving AFTER UPDATE OF place ON programs
WHEN new.place = 'leaving'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject)
  VALUES (new.id, 0, 'feed.restarted', 0), (new.id, 1, 'feed.restarted', 0);
END;
--> statement-breakpoint
-- Where it was, epochs were others. From here on only a later restore of this database counts.
CREATE TRIGGER programs_arrived AFTER UPDATE OF place ON programs
WHEN old.place = 'arriving' AND new.place = 'here'
BEGIN
  UPDATE events SET (epoch, batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main')
  WHERE (program_id, is_test, seq) IN (
    SELECT new.id, b.is_test, (SELECT max(e.seq) FROM events e WHERE e.program_id = new.id AND e.is_test = b.is_test)
    FROM (SELECT 0 AS is_test UNION ALL SELECT 1) b
  );
END;
--> statement-breakpoint
-- A program that comes from another shard brings its row.
CREATE TRIGGER programs_retained
AFTER INSERT ON programs WHEN new.place <> 'arriving'
BEGIN
  INSERT INTO program_retention (program_id, due_at) VALUES (new.id, (unixepoch() + 86400) * 1000);
END;
--> statement-breakpoint
-- A program's new hour takes the place of what is two days older, so the table never grows. An upsert that updates adds none.
CREATE TRIGGER recent_hours_forgotten AFTER INSERT ON recent_hours
BEGIN
  DELETE FROM recent_hours WHERE program_id = new.program_id AND is_test = new.is_test AND hour <= new.hour - 48;
END;
--> statement-breakpoint
-- Charts read days, not refunds. One that counts for nothing yet is shown apart.
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
--> statement-breakpoint
-- A refund that is canceled, covered by others or of another partner leaves its own day's counts, and joins others.
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
--> statement-breakpoint
-- A call that takes back an earlier one is a row of its own.
CREATE TRIGGER refunds_told AFTER INSERT ON refunds
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (
    new.program_id, new.is_test,
    iif(new.status = 'restored' OR new.asked IN ('cancel', 'cancel_total'), 'refund.updated', 'refund.recorded'),
    new.id, json_array(new.partner_id, new.status)
  );
END;
--> statement-breakpoint
-- Charts read days, not sales.
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
-- Only a sale that rests on a browser's evidence alone, or on a coupon, may move to another partner, and to nobody only the
-- latter.
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
--> statement-breakpoint
-- Readiness shows the last 24 hours without counting events.
CREATE TRIGGER sales_of_the_hour AFTER INSERT ON sales
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET sales = sales + 1;
END;
--> statement-breakpoint
-- A sale without a partner isn't counted until it gets one.
CREATE TRIGGER sales_of_the_hour_attributed AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET sales = sales + 1;
END;
--> statement-breakpoint
-- A deleted user gets no second factor by a request that they sent just before.
CREATE TRIGGER second_factors_of_users BEFORE INSERT ON second_factors
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- A deleted user is the author of what they did, and nothing more. What a request of theirs decided before comes too late.
CREATE TRIGGER users_stay_deleted BEFORE UPDATE ON users
WHEN old.email GLOB 'deleted:*'
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- By a person, or after days of failures.
CREATE TRIGGER webhooks_told AFTER UPDATE OF status ON webhooks
WHEN old.status <> new.status AND new.status = 'disabled'
BEGIN
  -- What waits until now is sent once the webhook is enabled. What happens from here on isn't.
  UPDATE webhooks SET replays = json_insert(replays, '$[#]', json_array(cursor + 1, newest.seq)), cursor = newest.seq
  FROM (SELECT max(seq) AS seq FROM events WHERE program_id = new.program_id AND is_test = new.is_test) newest
  WHERE id = new.id AND cursor < newest.seq;
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, new.is_test, 'webhook.disabled', new.id);
END;
--> statement-breakpoint
-- Its events and its log outlive it, and must never be another webhook's.
CREATE TRIGGER webhooks_id_spent AFTER DELETE ON webhooks
BEGIN
  INSERT INTO id_floors (id) SELECT old.id WHERE old.id > coalesce((SELECT max(id) FROM id_floors), 0);
END;
--> statement-breakpoint
-- The trail is evidence: not even an operator rewrites it.
CREATE TRIGGER workspace_audit_entries_no_update BEFORE UPDATE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
-- A gap in the trail would go unseen.
CREATE TRIGGER workspace_audit_entries_no_delete BEFORE DELETE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
-- `insert or replace` deletes the rows of the same id or unique key, and no delete trigger hears of it.
CREATE TRIGGER workspace_audit_entries_no_replace BEFORE INSERT ON workspace_audit_entries
WHEN EXISTS (SELECT 1 FROM workspace_audit_entries WHERE id = new.id OR operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
