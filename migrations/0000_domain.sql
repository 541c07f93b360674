CREATE TABLE `click_events` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`event_id` text NOT NULL,
	`click_id` text NOT NULL,
	`recorded_at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `event_id`),
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
CREATE UNIQUE INDEX `clicks_click_id` ON `clicks` (`click_id`);--> statement-breakpoint
CREATE INDEX `clicks_recent` ON `clicks` (`program_id`,`is_test`,`occurred_at`,`is_bot`,`is_prefetch`,`partner_id`);--> statement-breakpoint
CREATE INDEX `clicks_visitor` ON `clicks` (`visitor`,`partner_id`) WHERE visitor is not null;--> statement-breakpoint
CREATE TABLE `commission_policies` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer,
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
	`effective_from` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commission_policies_type" CHECK(case "commission_policies"."type" when 'percent' then coalesce("commission_policies"."rate_bps" between 0 and 10000, 0) when 'flat' then coalesce("commission_policies"."amount_cents" >= 0, 0) and "commission_policies"."currency" is not null else "commission_policies"."type" = 'none' end),
	CONSTRAINT "commission_policies_scope" CHECK(case "commission_policies"."scope" when 'recurring' then coalesce("commission_policies"."duration_months" >= 1, 0) else "commission_policies"."scope" in ('one_time', 'lifetime') end),
	CONSTRAINT "commission_policies_limits" CHECK("commission_policies"."currency" is not null or ("commission_policies"."min_sale_cents" is null and "commission_policies"."max_commission_cents" is null)),
	CONSTRAINT "commission_policies_hold" CHECK("commission_policies"."hold_days" between 0 and 365)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `commission_policies_version` ON `commission_policies` (`program_id`,`version`);--> statement-breakpoint
CREATE TABLE `commissions` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`sale_id` integer NOT NULL,
	`partner_id` integer,
	`status` text NOT NULL,
	`reason` text,
	`is_unconfirmed` integer NOT NULL,
	`initial_cents` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`hold_until` integer,
	`policy_id` integer,
	`explanation` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`policy_id`) REFERENCES `commission_policies`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commissions_status" CHECK("commissions"."status" in ('pending', 'approved', 'paid', 'reversed', 'rejected', 'void')),
	CONSTRAINT "commissions_void" CHECK(("commissions"."status" = 'void') = ("commissions"."reason" is not null)),
	CONSTRAINT "commissions_due" CHECK("commissions"."status" = 'void' or ("commissions"."partner_id" is not null and "commissions"."hold_until" is not null)),
	CONSTRAINT "commissions_initial" CHECK("commissions"."initial_cents" >= 0),
	CONSTRAINT "commissions_amount" CHECK("commissions"."amount_cents" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `commissions_sale` ON `commissions` (`sale_id`);--> statement-breakpoint
CREATE INDEX `commissions_maturing` ON `commissions` (`hold_until`) WHERE status = 'pending' and is_unconfirmed = 0;--> statement-breakpoint
CREATE TABLE `customer_clicks` (
	`customer_id` integer NOT NULL,
	`click_id` text NOT NULL,
	`link_id` integer NOT NULL,
	`click_at` integer NOT NULL,
	`evidence` text NOT NULL,
	`is_nameless` integer NOT NULL,
	`has_settled_in_browser` integer NOT NULL,
	PRIMARY KEY(`customer_id`, `click_id`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `referral_links`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `customer_clicks_click` ON `customer_clicks` (`click_id`);--> statement-breakpoint
CREATE INDEX `customer_clicks_nameless` ON `customer_clicks` (`click_id`) WHERE is_nameless = 1;--> statement-breakpoint
CREATE INDEX `customer_clicks_browser` ON `customer_clicks` (`click_id`) WHERE has_settled_in_browser = 1;--> statement-breakpoint
CREATE TABLE `customers` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`customer_key` text,
	`partner_id` integer,
	`link_id` integer,
	`click_id` text,
	`click_at` integer,
	`evidence` text,
	`model` text,
	`window_days` integer,
	`click_age_days` integer,
	`reason` text,
	`first_sale_at` integer,
	`first_attributed_sale_at` integer,
	`email_hash` text,
	`email_mask` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`link_id`) REFERENCES `referral_links`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "customers_attribution" CHECK(("customers"."partner_id" is null) = ("customers"."click_id" is null)),
	CONSTRAINT "customers_reason" CHECK(("customers"."partner_id" is null) = ("customers"."reason" is not null)),
	CONSTRAINT "customers_locked" CHECK("customers"."first_attributed_sale_at" is null or "customers"."partner_id" is not null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_key` ON `customers` (`program_id`,`is_test`,`customer_key`) WHERE customer_key is not null;--> statement-breakpoint
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
	PRIMARY KEY(`program_id`, `is_test`, `day`, `partner_id`, `currency`),
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
CREATE UNIQUE INDEX `leads_customer` ON `leads` (`customer_id`) WHERE customer_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `leads_unsettled` ON `leads` (`program_id`,`is_test`,`unsettled_key`) WHERE unsettled_key is not null;--> statement-breakpoint
CREATE INDEX `leads_recent` ON `leads` (`program_id`,`is_test`,`occurred_at`,`partner_id`);--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`commission_id` integer NOT NULL,
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
	FOREIGN KEY (`refund_id`) REFERENCES `refunds`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ledger_entries_sign" CHECK(case "ledger_entries"."kind" when 'earned' then "ledger_entries"."amount_cents" >= 0 when 'adjusted' then 1 else "ledger_entries"."amount_cents" <= 0 end),
	CONSTRAINT "ledger_entries_refund" CHECK(("ledger_entries"."kind" = 'reversed') = ("ledger_entries"."refund_id" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_earned` ON `ledger_entries` (`commission_id`) WHERE kind = 'earned';--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_reversed` ON `ledger_entries` (`refund_id`) WHERE refund_id is not null;--> statement-breakpoint
CREATE TABLE `ledger_writers` (
	`name` text PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`seq` integer NOT NULL
) STRICT;
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
CREATE UNIQUE INDEX `memberships_place` ON `memberships` (`workspace_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `partners` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "partners_status" CHECK("partners"."status" in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `partners_program` ON `partners` (`program_id`);--> statement-breakpoint
CREATE TABLE `program_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`hash` text NOT NULL,
	`last_four` text NOT NULL,
	`created_at` integer NOT NULL,
	`retires_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `program_keys_hash` ON `program_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `program_keys_program` ON `program_keys` (`program_id`);--> statement-breakpoint
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
	`cookie_window_days` integer,
	`payout_mode` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "programs_currency" CHECK(length("programs"."currency") = 3),
	CONSTRAINT "programs_lead_auth" CHECK("programs"."lead_auth" in ('browser_allowed', 'server_required')),
	CONSTRAINT "programs_attribution_model" CHECK("programs"."attribution_model" in ('last_click', 'first_click')),
	CONSTRAINT "programs_attribution_window" CHECK("programs"."attribution_window_days" between 1 and 365),
	CONSTRAINT "programs_cookie_window" CHECK("programs"."cookie_window_days" between 1 and 365),
	CONSTRAINT "programs_status" CHECK("programs"."status" in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `referral_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`code` text NOT NULL,
	`code_key` text NOT NULL,
	`destination_url` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "referral_links_code_key" CHECK("referral_links"."code_key" = lower("referral_links"."code")),
	CONSTRAINT "referral_links_status" CHECK("referral_links"."status" in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `referral_links_code` ON `referral_links` (`code_key`,`program_id`);--> statement-breakpoint
CREATE TABLE `refunds` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`sale_id` integer NOT NULL,
	`operation_id` text NOT NULL,
	`refund_id` text,
	`asked` text NOT NULL,
	`refunded_cents` integer NOT NULL,
	`refunded_total_cents` integer NOT NULL,
	`commission_reversed_cents` integer NOT NULL,
	`commission_amount_cents` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`currency` text NOT NULL,
	`partner_id` integer,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refunds_amount" CHECK("refunds"."refunded_cents" >= 1),
	CONSTRAINT "refunds_total" CHECK("refunds"."refunded_total_cents" >= "refunds"."refunded_cents"),
	CONSTRAINT "refunds_reversed" CHECK("refunds"."commission_reversed_cents" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `refunds_refund` ON `refunds` (`sale_id`,`refund_id`);--> statement-breakpoint
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
	`sale_type` text NOT NULL,
	`is_recurring` integer NOT NULL,
	`subscription_id` text,
	`subscription_interval` text,
	`product_id` text,
	`event_name` text,
	`line_items` text,
	`partner_id` integer,
	`partner_code` text,
	`reason` text,
	`click_age_days` integer,
	`window_days` integer,
	`refunded_cents` integer NOT NULL,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`day` text NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sales_amount" CHECK("sales"."amount_cents" between 1 and 100000000000),
	CONSTRAINT "sales_refunded" CHECK("sales"."refunded_cents" between 0 and "sales"."amount_cents"),
	CONSTRAINT "sales_attributed" CHECK(("sales"."partner_id" is null) = ("sales"."reason" is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sales_transaction` ON `sales` (`program_id`,`is_test`,`transaction_id`);--> statement-breakpoint
CREATE INDEX `sales_customer` ON `sales` (`customer_id`);--> statement-breakpoint
CREATE INDEX `sales_recent` ON `sales` (`program_id`,`is_test`,`occurred_at`,`partner_id`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
