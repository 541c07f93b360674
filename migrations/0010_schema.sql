DROP TRIGGER `commissions_balanced`;
--> statement-breakpoint
DROP TRIGGER `commissions_numbered`;
--> statement-breakpoint
DROP TRIGGER `commissions_told`;
--> statement-breakpoint
DROP TRIGGER `events_numbered`;
--> statement-breakpoint
DROP TRIGGER `ledger_entries_counted`;
--> statement-breakpoint
DROP TRIGGER `ledger_entries_of_payout`;
--> statement-breakpoint
DROP TRIGGER `partners_erased_for_good`;
--> statement-breakpoint
DROP TRIGGER `payout_lines_final`;
--> statement-breakpoint
DROP TRIGGER `payout_ranges_apart`;
--> statement-breakpoint
DROP TRIGGER `payout_ranges_end_told`;
--> statement-breakpoint
DROP TRIGGER `payouts_terms_stay`;
--> statement-breakpoint
DROP TRIGGER `payouts_told`;
--> statement-breakpoint
DROP TRIGGER `webhooks_told`;
--> statement-breakpoint
DROP INDEX `erasures_program`;
--> statement-breakpoint
DROP INDEX `mails_due`;
--> statement-breakpoint
DROP INDEX `payout_lines_state`;
--> statement-breakpoint
DROP INDEX `payout_ranges_payout`;
--> statement-breakpoint
PRAGMA defer_foreign_keys = ON;
--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `via` text;
--> statement-breakpoint
CREATE TABLE `commission_signals_copy` AS SELECT * FROM `commission_signals`;
--> statement-breakpoint
DROP TABLE `commission_signals`;
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
	CONSTRAINT "commission_signals_code" CHECK("commission_signals"."code" in ('by_hand', 'self_referral', 'duplicate_source', 'blocked_source', 'many_sources', 'self_referral_similar')),
	CONSTRAINT "commission_signals_effect" CHECK("commission_signals"."effect" in ('flag', 'hold')),
	CONSTRAINT "commission_signals_similar" CHECK("commission_signals"."code" <> 'self_referral_similar' or "commission_signals"."effect" = 'flag'),
	CONSTRAINT "commission_signals_by_hand" CHECK(("commission_signals"."code" = 'by_hand') = ("commission_signals"."note_id" is not null)),
	CONSTRAINT "commission_signals_review" CHECK("commission_signals"."review_until" is null or ("commission_signals"."effect" = 'hold' and "commission_signals"."code" <> 'by_hand')),
	CONSTRAINT "commission_signals_end" CHECK(("commission_signals"."ended_at" is null) = ("commission_signals"."ended_by" is null)),
	CONSTRAINT "commission_signals_ended_by" CHECK(coalesce("commission_signals"."ended_by", 'time') in ('person', 'time', 'move'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `commission_signals` (`commission_id`, `program_id`, `is_test`, `code`, `effect`, `evidence`, `note_id`, `partner_id`, `raised_at`, `review_until`, `ended_at`, `ended_by`) SELECT `commission_id`, `program_id`, `is_test`, `code`, `effect`, `evidence`, `note_id`, `partner_id`, `raised_at`, `review_until`, `ended_at`, `ended_by` FROM `commission_signals_copy`;
--> statement-breakpoint
DROP TABLE `commission_signals_copy`;
--> statement-breakpoint
ALTER TABLE `customers` ADD `similar_hash` text;
--> statement-breakpoint
ALTER TABLE `customers` ADD `address_marks` text;
--> statement-breakpoint
ALTER TABLE `erasures` ADD `identifiers` integer;
--> statement-breakpoint
CREATE TABLE `mails_copy` AS SELECT * FROM `mails`;
--> statement-breakpoint
DROP TABLE `mails`;
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
	CONSTRAINT "mails_template" CHECK("mails"."template" in ('partner_invitation', 'application_received', 'application_approved', 'application_declined', 'verify_address', 'password_reset', 'details_changed', 'details_requested', 'payout_paid', 'line_failed', 'statement', 'account_changed', 'team_tasks')),
	CONSTRAINT "mails_settled" CHECK(("mails"."due_at" is not null) + ("mails"."delivered_at" is not null) + ("mails"."failed_at" is not null) = 1),
	CONSTRAINT "mails_content" CHECK(("mails"."content" is not null) = ("mails"."due_at" is not null and "mails"."payout_line_id" is null)),
	CONSTRAINT "mails_line" CHECK(("mails"."payout_line_id" is null) = ("mails"."origin" is null))
) STRICT;
--> statement-breakpoint
INSERT INTO `mails` (`id`, `program_id`, `template`, `content`, `payout_line_id`, `origin`, `attempts`, `due_at`, `delivered_at`, `failed_at`, `created_at`) SELECT `id`, `program_id`, `template`, `content`, `payout_line_id`, `origin`, `attempts`, `due_at`, `delivered_at`, `failed_at`, `created_at` FROM `mails_copy`;
--> statement-breakpoint
DROP TABLE `mails_copy`;
--> statement-breakpoint
CREATE TABLE `notes_copy` AS SELECT * FROM `notes`;
--> statement-breakpoint
DROP TABLE `notes`;
--> statement-breakpoint
CREATE TABLE `notes` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`text` text,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notes_kind" CHECK("notes"."kind" in ('reason', 'partner_note', 'note', 'reference', 'name', 'email'))
) STRICT;
--> statement-breakpoint
INSERT INTO `notes` (`id`, `program_id`, `kind`, `subject`, `text`) SELECT `id`, `program_id`, `kind`, `subject`, `text` FROM `notes_copy`;
--> statement-breakpoint
DROP TABLE `notes_copy`;
--> statement-breakpoint
ALTER TABLE `partner_accounts` ADD `similar_hash` text;
--> statement-breakpoint
ALTER TABLE `partner_invitations` ADD `is_for_member` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `partner_invitations` ADD `invited_by` text;
--> statement-breakpoint
ALTER TABLE `partner_invitations` ADD `mailed_at` integer;
--> statement-breakpoint
ALTER TABLE `partners` ADD `similar_hash` text;
--> statement-breakpoint
ALTER TABLE `partners` ADD `is_embedded` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `payment_details` ADD `account_digest` text;
--> statement-breakpoint
CREATE TABLE `adjustments_copy` AS SELECT * FROM `adjustments`;
--> statement-breakpoint
DROP TABLE `adjustments`;
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
	CONSTRAINT "adjustments_amount" CHECK("adjustments"."amount_cents" <> 0 and abs("adjustments"."amount_cents") <= iif(substr("adjustments"."reference", 1, 8) = 'settled:', 9007199254740991, 100000000000))
) STRICT;
--> statement-breakpoint
INSERT INTO `adjustments` (`id`, `program_id`, `partner_id`, `amount_cents`, `currency`, `reason_id`, `partner_note_id`, `reference`, `created_by`, `created_at`) SELECT `id`, `program_id`, `partner_id`, `amount_cents`, `currency`, `reason_id`, `partner_note_id`, `reference`, `created_by`, `created_at` FROM `adjustments_copy`;
--> statement-breakpoint
DROP TABLE `adjustments_copy`;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `external_id` text;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `settled_at` integer;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `settlement_id` text;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `late_settled_at` integer;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `late_settlement_id` text;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `given_back_number` integer;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `evidence` text;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `evidence_salt` text;
--> statement-breakpoint
ALTER TABLE `payout_lines` ADD `statement_mailed_at` integer CONSTRAINT "payout_lines_settled" CHECK(("payout_lines"."settled_at" is null) = ("payout_lines"."settlement_id" is null) and ("payout_lines"."late_settled_at" is null) = ("payout_lines"."late_settlement_id" is null) and ("payout_lines"."settled_at" is null or "payout_lines"."state" in ('live', 'failed'))) CONSTRAINT "payout_lines_given_back" CHECK(("payout_lines"."given_back_number" is null or ("payout_lines"."state" = 'failed' and "payout_lines"."settled_at" is null)) and ("payout_lines"."late_settled_at" is null or "payout_lines"."state" = 'failed'));
--> statement-breakpoint
CREATE TABLE `payouts_copy` AS SELECT * FROM `payouts`;
--> statement-breakpoint
DROP TABLE `payouts`;
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
	`settled_by` text DEFAULT 'person' NOT NULL,
	`settled_cents` integer DEFAULT 0 NOT NULL,
	`given_back_cents` integer DEFAULT 0 NOT NULL,
	`returned_cents` integer DEFAULT 0 NOT NULL,
	`paid_at` integer,
	`note_id` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`finalized_at` integer,
	`finalized_by` text,
	`finalized_number` integer,
	`due_at` integer,
	`confirmed_at` integer,
	`confirmed_by` text,
	`canceled_at` integer,
	`canceled_by` text,
	`canceled_number` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payouts_status" CHECK("payouts"."status" in ('draft', 'final', 'paid', 'canceled')),
	CONSTRAINT "payouts_currency" CHECK(length("payouts"."currency") between 3 and 12),
	CONSTRAINT "payouts_minimum" CHECK("payouts"."minimum_cents" >= 1),
	CONSTRAINT "payouts_total" CHECK("payouts"."total_cents" >= "payouts"."line_count" and "payouts"."line_count" >= 1),
	CONSTRAINT "payouts_finalized" CHECK(case "payouts"."status" when 'draft' then "payouts"."finalized_at" is null when 'canceled' then 1 else "payouts"."finalized_at" is not null end
      and ("payouts"."finalized_at" is null) = ("payouts"."finalized_by" is null)
      and ("payouts"."finalized_at" is null) = ("payouts"."finalized_number" is null)),
	CONSTRAINT "payouts_cut" CHECK("payouts"."cut" >= 0 and coalesce("payouts"."cut" < "payouts"."finalized_number", 1)),
	CONSTRAINT "payouts_confirmed" CHECK(case "payouts"."settled_by" when 'api' then ("payouts"."status" = 'paid') = ("payouts"."paid_at" is not null) and ("payouts"."confirmed_at" is null) = ("payouts"."confirmed_by" is null)
      else ("payouts"."status" = 'paid') = ("payouts"."confirmed_at" is not null and "payouts"."confirmed_by" is not null and "payouts"."paid_at" is not null) end),
	CONSTRAINT "payouts_due" CHECK("payouts"."due_at" is null or ("payouts"."settled_by" = 'api' and "payouts"."due_at" >= "payouts"."finalized_at")),
	CONSTRAINT "payouts_settled_by" CHECK("payouts"."settled_by" in ('person', 'api')),
	CONSTRAINT "payouts_settled" CHECK("payouts"."settled_cents" >= 0 and "payouts"."given_back_cents" >= 0 and "payouts"."returned_cents" between 0 and "payouts"."settled_cents"
      and case when "payouts"."settled_by" = 'person' or "payouts"."finalized_at" is null then "payouts"."settled_cents" + "payouts"."given_back_cents" = 0
        when "payouts"."status" = 'final' then "payouts"."settled_cents" + "payouts"."given_back_cents" < "payouts"."total_cents"
        else "payouts"."settled_cents" + "payouts"."given_back_cents" = "payouts"."total_cents" and ("payouts"."status" = 'paid') = ("payouts"."settled_cents" > 0) end),
	CONSTRAINT "payouts_canceled" CHECK(("payouts"."status" = 'canceled') = ("payouts"."canceled_at" is not null and "payouts"."canceled_by" is not null and "payouts"."canceled_number" is not null))
) STRICT;
--> statement-breakpoint
INSERT INTO `payouts` (`id`, `program_id`, `currency`, `reference`, `status`, `until`, `cut`, `minimum_cents`, `partner_ids`, `total_cents`, `line_count`, `paid_at`, `note_id`, `created_at`, `created_by`, `finalized_at`, `finalized_by`, `finalized_number`, `confirmed_at`, `confirmed_by`, `canceled_at`, `canceled_by`, `canceled_number`) SELECT `id`, `program_id`, `currency`, `reference`, `status`, `until`, `cut`, `minimum_cents`, `partner_ids`, `total_cents`, `line_count`, `paid_at`, `note_id`, `created_at`, `created_by`, `finalized_at`, `finalized_by`, `finalized_number`, `confirmed_at`, `confirmed_by`, `canceled_at`, `canceled_by`, `canceled_number` FROM `payouts_copy`;
--> statement-breakpoint
DROP TABLE `payouts_copy`;
--> statement-breakpoint
CREATE TABLE `commission_policies_copy` AS SELECT * FROM `commission_policies`;
--> statement-breakpoint
DROP TABLE `commission_policies`;
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
	`unit` text,
	`scope` text NOT NULL,
	`duration_months` integer,
	`hold_days` integer NOT NULL,
	`min_sale_cents` integer,
	`max_commission_cents` integer,
	`rules` text,
	`tiers` text,
	`effective_from` integer NOT NULL,
	`is_latest` integer DEFAULT true NOT NULL,
	`operation_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `partner_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "commission_policies_type" CHECK(case "commission_policies"."type" when 'percent' then coalesce("commission_policies"."rate_bps" between 0 and 10000, 0) when 'flat' then coalesce("commission_policies"."amount_cents" >= 0, 0) and coalesce("commission_policies"."currency", "commission_policies"."unit") is not null else "commission_policies"."type" = 'none' end),
	CONSTRAINT "commission_policies_owner" CHECK("commission_policies"."partner_id" is null or "commission_policies"."group_id" is null),
	CONSTRAINT "commission_policies_scope" CHECK(case "commission_policies"."scope" when 'recurring' then coalesce("commission_policies"."duration_months" >= 1, 0) else "commission_policies"."scope" in ('one_time', 'lifetime') end),
	CONSTRAINT "commission_policies_limits" CHECK("commission_policies"."currency" is not null or ("commission_policies"."min_sale_cents" is null and "commission_policies"."max_commission_cents" is null)),
	CONSTRAINT "commission_policies_unit" CHECK("commission_policies"."unit" is null or ("commission_policies"."type" = 'flat' and "commission_policies"."max_commission_cents" is null)),
	CONSTRAINT "commission_policies_hold" CHECK("commission_policies"."hold_days" between 0 and 365)
) STRICT;
--> statement-breakpoint
INSERT INTO `commission_policies` (`id`, `program_id`, `partner_id`, `group_id`, `version`, `type`, `rate_bps`, `amount_cents`, `currency`, `scope`, `duration_months`, `hold_days`, `min_sale_cents`, `max_commission_cents`, `rules`, `effective_from`, `is_latest`, `operation_id`, `created_at`) SELECT `id`, `program_id`, `partner_id`, `group_id`, `version`, `type`, `rate_bps`, `amount_cents`, `currency`, `scope`, `duration_months`, `hold_days`, `min_sale_cents`, `max_commission_cents`, `rules`, `effective_from`, `is_latest`, `operation_id`, `created_at` FROM `commission_policies_copy`;
--> statement-breakpoint
DROP TABLE `commission_policies_copy`;
--> statement-breakpoint
CREATE TABLE `program_keys_copy` AS SELECT * FROM `program_keys`;
--> statement-breakpoint
DROP TABLE `program_keys`;
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
	CONSTRAINT "program_keys_scopes" CHECK("program_keys"."scopes" in ('track', 'read', 'track read', 'manage', 'track manage', 'read manage', 'track read manage', 'settle', 'track settle', 'read settle', 'track read settle', 'manage settle', 'track manage settle', 'read manage settle', 'track read manage settle')),
	CONSTRAINT "program_keys_book" CHECK("program_keys"."book" in ('both', 'test')),
	CONSTRAINT "program_keys_test_book" CHECK("program_keys"."book" <> 'test' or ("program_keys"."scopes" not like '%manage%' and "program_keys"."scopes" not like '%settle%'))
) STRICT;
--> statement-breakpoint
INSERT INTO `program_keys` (`id`, `program_id`, `origin_id`, `name`, `scopes`, `book`, `hash`, `last_four`, `created_at`, `retires_at`, `last_used_at`) SELECT `id`, `program_id`, `origin_id`, `name`, `scopes`, `book`, `hash`, `last_four`, `created_at`, `retires_at`, `last_used_at` FROM `program_keys_copy`;
--> statement-breakpoint
DROP TABLE `program_keys_copy`;
--> statement-breakpoint
ALTER TABLE `programs` ADD `issuer_name` text;
--> statement-breakpoint
ALTER TABLE `programs` ADD `issuer_address` text;
--> statement-breakpoint
ALTER TABLE `programs` ADD `issuer_tax_id` text;
--> statement-breakpoint
ALTER TABLE `programs` ADD `many_sources` text DEFAULT 'flag' NOT NULL CONSTRAINT "programs_many_sources" CHECK("programs"."many_sources" in ('off', 'flag', 'hold'));
--> statement-breakpoint
CREATE TABLE `account_events_copy` AS SELECT * FROM `account_events`;
--> statement-breakpoint
DROP TABLE `account_events`;
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
	CONSTRAINT "account_events_action" CHECK("account_events"."action" in ('signed_in', 'signed_in_with_recovery_code', 'sign_in_failed', 'signed_out', 'session_ended', 'other_sessions_ended', 'password_changed', 'password_reset', 'two_factor_turned_on', 'two_factor_turned_off', 'two_factor_removed', 'recovery_codes_replaced', 'identity_linked', 'identity_removed'))
) STRICT;
--> statement-breakpoint
INSERT INTO `account_events` (`id`, `user_id`, `operation_id`, `action`, `device`, `place`, `created_at`) SELECT `id`, `user_id`, `operation_id`, `action`, `device`, `place`, `created_at` FROM `account_events_copy`;
--> statement-breakpoint
DROP TABLE `account_events_copy`;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `identity_id` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `has_provider_factor` integer DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE TABLE `bonuses` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`metric` text NOT NULL,
	`period` text NOT NULL,
	`threshold` integer NOT NULL,
	`sales_currency` text,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`from_period` text NOT NULL,
	`until_period` text,
	`created_at` integer NOT NULL,
	`dismissed_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bonuses_metric" CHECK("bonuses"."metric" in ('sales', 'revenue')),
	CONSTRAINT "bonuses_period" CHECK("bonuses"."period" in ('month', 'quarter', 'year')),
	CONSTRAINT "bonuses_threshold" CHECK("bonuses"."threshold" > 0),
	CONSTRAINT "bonuses_sales_currency" CHECK(("bonuses"."metric" = 'revenue') = ("bonuses"."sales_currency" is not null)),
	CONSTRAINT "bonuses_amount" CHECK("bonuses"."amount_cents" > 0),
	CONSTRAINT "bonuses_dismissed" CHECK("bonuses"."dismissed_at" is null or "bonuses"."until_period" is not null),
	CONSTRAINT "bonuses_until" CHECK("bonuses"."until_period" is null or "bonuses"."until_period" >= "bonuses"."from_period")
) STRICT;
--> statement-breakpoint
CREATE INDEX `bonuses_program` ON `bonuses` (`program_id`);
--> statement-breakpoint
CREATE TABLE `due_bonuses` (
	`program_id` integer NOT NULL,
	`last_month` text NOT NULL,
	`bonus_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	PRIMARY KEY(`program_id`, `last_month`, `bonus_id`, `partner_id`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bonus_id`) REFERENCES `bonuses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `claim_counts` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`open` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `claims` (
	`id` integer PRIMARY KEY NOT NULL,
	`program_id` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`day` text NOT NULL,
	`amount_cents` integer,
	`currency` text,
	`reference_id` integer,
	`note_id` integer,
	`digest` text,
	`status` text NOT NULL,
	`sale_id` integer,
	`pays_past` integer DEFAULT false NOT NULL,
	`partner_note_id` integer,
	`decided_at` integer,
	`has_texts` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reference_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sale_id`) REFERENCES `sales`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claims_status" CHECK("claims"."status" in ('open', 'theirs', 'declined')),
	CONSTRAINT "claims_amount" CHECK("claims"."amount_cents" is null or "claims"."amount_cents" between 1 and 100000000000),
	CONSTRAINT "claims_currency" CHECK(("claims"."amount_cents" is null) = ("claims"."currency" is null)),
	CONSTRAINT "claims_decided" CHECK(("claims"."status" = 'open') = ("claims"."decided_at" is null)),
	CONSTRAINT "claims_theirs" CHECK(("claims"."status" = 'theirs') = ("claims"."sale_id" is not null)),
	CONSTRAINT "claims_pays_past" CHECK("claims"."status" = 'theirs' or not "claims"."pays_past"),
	CONSTRAINT "claims_digest" CHECK("claims"."status" = 'open' or "claims"."digest" is null),
	CONSTRAINT "claims_partner_note" CHECK("claims"."status" <> 'open' or "claims"."partner_note_id" is null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `claims_program` ON `claims` (`program_id`,`status`);
--> statement-breakpoint
CREATE INDEX `claims_partner` ON `claims` (`partner_id`,`status`);
--> statement-breakpoint
CREATE INDEX `claims_texts` ON `claims` (`program_id`,`decided_at`) WHERE has_texts = 1 and decided_at is not null;
--> statement-breakpoint
CREATE INDEX `claims_sale` ON `claims` (`sale_id`) WHERE sale_id is not null;
--> statement-breakpoint
CREATE INDEX `commission_signals_code` ON `commission_signals` (`program_id`,`is_test`,`code`,`commission_id`) WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX `coupons_status` ON `coupons` (`program_id`,`status`);
--> statement-breakpoint
CREATE INDEX `coupons_partner_status` ON `coupons` (`partner_id`,`status`);
--> statement-breakpoint
CREATE INDEX `customer_clicks_unkeyed` ON `customer_clicks` (`customer_id`,`click_at`,`click_id`) WHERE evidence <> 'key';
--> statement-breakpoint
CREATE INDEX `customers_similar_hash` ON `customers` (`program_id`,`is_test`,`similar_hash`) WHERE similar_hash is not null;
--> statement-breakpoint
CREATE TABLE `embeds` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`embed_id` text NOT NULL,
	`origins` text NOT NULL,
	`theme` text NOT NULL,
	`show_commissions` integer NOT NULL,
	`show_payouts` integer NOT NULL,
	`show_claims` integer NOT NULL,
	`tokens_ended_at` integer,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "embeds_origins" CHECK(json_type("embeds"."origins") = 'array'),
	CONSTRAINT "embeds_theme" CHECK(json_type("embeds"."theme") = 'object')
) STRICT;
--> statement-breakpoint
CREATE INDEX `erasures_program` ON `erasures` (`program_id`,`requested_at`);
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`due_at`) WHERE due_at is not null and payout_line_id is null and template <> 'team_tasks';
--> statement-breakpoint
CREATE INDEX `mails_due_team` ON `mails` (`due_at`) WHERE due_at is not null and template = 'team_tasks';
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
CREATE TABLE `offer_coupons` (
	`program_id` integer NOT NULL,
	`version` integer NOT NULL,
	`processor` text NOT NULL,
	`code_key` text NOT NULL,
	`code` text NOT NULL,
	PRIMARY KEY(`program_id`, `version`, `processor`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "offer_coupons_processor" CHECK("offer_coupons"."processor" in ('stripe', 'paddle', 'lemonSqueezy', 'polar', 'other'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `offer_coupons_code` ON `offer_coupons` (`program_id`,`code_key`);
--> statement-breakpoint
CREATE TABLE `offers` (
	`program_id` integer NOT NULL,
	`version` integer NOT NULL,
	`group_id` integer,
	`state` text NOT NULL,
	`label` text,
	`details` text,
	`coupon_ids` text,
	`until` integer,
	`effective_from` integer NOT NULL,
	`operation_id` text NOT NULL,
	PRIMARY KEY(`program_id`, `version`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `partner_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "offers_state" CHECK(case "offers"."state" when 'given' then "offers"."label" is not null and "offers"."coupon_ids" is not null else "offers"."state" in ('none', 'inherited') and "offers"."label" is null and "offers"."details" is null and "offers"."coupon_ids" is null and "offers"."until" is null end)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `offers_owner` ON `offers` (`program_id`,`group_id`,`effective_from`,`version`);
--> statement-breakpoint
CREATE INDEX `partner_accounts_similar_hash` ON `partner_accounts` (`program_id`,`similar_hash`) WHERE similar_hash is not null;
--> statement-breakpoint
CREATE INDEX `partner_invitations_inviter` ON `partner_invitations` (`invited_by`) WHERE used_by is null;
--> statement-breakpoint
CREATE INDEX `partners_similar_hash` ON `partners` (`program_id`,`similar_hash`) WHERE similar_hash is not null;
--> statement-breakpoint
CREATE INDEX `payment_details_account` ON `payment_details` (`program_id`,`account_digest`) WHERE account_digest is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_reference` ON `adjustments` (`program_id`,`partner_id`,`reference`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_lines_statement` ON `payout_lines` (`partner_id`,`statement_number`) WHERE statement_number is not null;
--> statement-breakpoint
CREATE INDEX `payout_lines_state` ON `payout_lines` (`payout_id`,`state`,(settled_at is not null));
--> statement-breakpoint
CREATE INDEX `payout_ranges_payout` ON `payout_ranges` (`payout_id`,`partner_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_reference` ON `payouts` (`program_id`,`reference`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payouts_draft` ON `payouts` (`program_id`,`currency`) WHERE status = 'draft';
--> statement-breakpoint
CREATE UNIQUE INDEX `commission_policies_version` ON `commission_policies` (`program_id`,`version`);
--> statement-breakpoint
CREATE INDEX `commission_policies_owner` ON `commission_policies` (`program_id`,`partner_id`,`group_id`,`effective_from`,`version`);
--> statement-breakpoint
CREATE INDEX `commission_policies_current` ON `commission_policies` (`program_id`,`partner_id`,`group_id`) WHERE is_latest and type <> 'none';
--> statement-breakpoint
CREATE INDEX `commission_policies_tiers` ON `commission_policies` (`program_id`,`version`) WHERE tiers is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `program_keys_hash` ON `program_keys` (`hash`);
--> statement-breakpoint
CREATE INDEX `program_keys_program` ON `program_keys` (`program_id`,`retires_at`);
--> statement-breakpoint
CREATE INDEX `program_keys_created` ON `program_keys` (`program_id`,`id`) WHERE "program_keys"."origin_id" is null;
--> statement-breakpoint
CREATE TABLE `reconciliations` (
	`program_id` integer PRIMARY KEY NOT NULL,
	`processor` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`matched` integer NOT NULL,
	`missing` integer NOT NULL,
	`unexpected` integer NOT NULL,
	`differs` integer NOT NULL,
	`reported_at` integer NOT NULL,
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reconciliations_span" CHECK("reconciliations"."from_at" <= "reconciliations"."to_at"),
	CONSTRAINT "reconciliations_counts" CHECK(min("reconciliations"."matched", "reconciliations"."missing", "reconciliations"."unexpected", "reconciliations"."differs") >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `team_mail_choices` (
	`user_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`application_received` text,
	`claim_opened` text,
	`commission_held` text,
	`webhook_disabled` text,
	`payout_due` text,
	PRIMARY KEY(`user_id`, `program_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `program_places`(`program_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "team_mail_choices_applications" CHECK("team_mail_choices"."application_received" in ('off', 'daily', 'weekly')),
	CONSTRAINT "team_mail_choices_claims" CHECK("team_mail_choices"."claim_opened" in ('off', 'daily', 'weekly')),
	CONSTRAINT "team_mail_choices_commissions" CHECK("team_mail_choices"."commission_held" in ('off', 'daily', 'weekly')),
	CONSTRAINT "team_mail_choices_webhooks" CHECK("team_mail_choices"."webhook_disabled" in ('off', 'daily', 'weekly')),
	CONSTRAINT "team_mail_choices_payouts" CHECK("team_mail_choices"."payout_due" in ('off', 'daily', 'weekly'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `team_mail_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL,
	`is_weekly` integer NOT NULL,
	`pass` integer NOT NULL,
	`after_program_id` integer NOT NULL,
	`missed` integer NOT NULL,
	`resume_at` integer NOT NULL,
	`gathered_at` integer,
	`ended_at` integer,
	CONSTRAINT "team_mail_runs_one" CHECK("team_mail_runs"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `team_mail_stops` (
	`user_id` text PRIMARY KEY NOT NULL,
	`stopped_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `team_mail_tasks` (
	`user_id` text NOT NULL,
	`program_id` integer NOT NULL,
	`day` text NOT NULL,
	`program_name` text NOT NULL,
	`tasks` text NOT NULL,
	PRIMARY KEY(`user_id`, `program_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`program_id`) REFERENCES `program_places`(`program_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "team_mail_tasks_tasks" CHECK(json_type("team_mail_tasks"."tasks") = 'array')
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `team_mail_tasks_program` ON `team_mail_tasks` (`program_id`);
--> statement-breakpoint
CREATE TABLE `tier_books` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`counted_from` integer NOT NULL,
	`count_from` integer NOT NULL,
	`scanned_to` integer,
	`scan_from` text NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tier_books_open` ON `tier_books` (`program_id`,`is_test`) WHERE counted_from > count_from or scanned_to is not null;
--> statement-breakpoint
CREATE TABLE `tier_counts` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`month` text NOT NULL,
	`currency` text NOT NULL,
	`sales` integer NOT NULL,
	`revenue_cents` integer NOT NULL,
	`approved_sales` integer DEFAULT 0 NOT NULL,
	`approved_revenue_cents` integer DEFAULT 0 NOT NULL,
	`is_due` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `partner_id`, `month`, `currency`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tier_counts_due` ON `tier_counts` (`program_id`,`is_test`,`partner_id`,`month`) WHERE is_due;
--> statement-breakpoint
CREATE TABLE `tier_steps` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`partner_id` integer NOT NULL,
	`policy_id` integer NOT NULL,
	`metric` text NOT NULL,
	`currency` text,
	`period` text NOT NULL,
	`threshold` integer NOT NULL,
	`count` integer NOT NULL,
	`number` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `partner_id`, `number`, `policy_id`, `is_test`, `period`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`partner_id`) REFERENCES `partners`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`policy_id`) REFERENCES `commission_policies`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tier_steps_metric" CHECK("tier_steps"."metric" in ('sales', 'revenue')),
	CONSTRAINT "tier_steps_currency" CHECK(("tier_steps"."metric" = 'revenue') = ("tier_steps"."currency" is not null)),
	CONSTRAINT "tier_steps_threshold" CHECK("tier_steps"."threshold" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `tier_steps_period` ON `tier_steps` (`policy_id`,`partner_id`,`is_test`,`period`,`number`);
--> statement-breakpoint
CREATE TABLE `units` (
	`program_id` integer NOT NULL,
	`code` text NOT NULL,
	`digits` integer NOT NULL,
	`one` text NOT NULL,
	`other` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`program_id`, `code`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "units_code" CHECK(length("units"."code") between 4 and 12 and "units"."code" not glob '*[^A-Z]*'),
	CONSTRAINT "units_digits" CHECK("units"."digits" between 0 and 4)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `unknown_codes` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`day` text NOT NULL,
	`code` text NOT NULL,
	`landings` integer NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `day`, `code`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_events_operation` ON `account_events` (`operation_id`);
--> statement-breakpoint
CREATE INDEX `account_events_user` ON `account_events` (`user_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_identity` ON `accounts` (`provider_id`,`account_id`);
--> statement-breakpoint
-- Rejects updates: a wrong adjustment is corrected by another adjustment.
CREATE TRIGGER adjustments_no_update BEFORE UPDATE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
-- Rejects deletes: the ledger entry of a deleted adjustment would have no reason.
CREATE TRIGGER adjustments_no_delete BEFORE DELETE ON adjustments
BEGIN
  SELECT raise(ABORT, 'adjustments are append-only');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
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
-- Only the late settlement of a line can use the line's reference, so that the settlement is deducted at most once. If
-- an earlier version of the service gave the reference to another adjustment, the settlement uses one that ends with
-- ":late".
CREATE TRIGGER adjustments_of_late_settlement BEFORE INSERT ON adjustments
WHEN substr(new.reference, 1, 8) = 'settled:' AND NOT EXISTS (
  SELECT 1 FROM payout_lines l
  WHERE l.id = cast(substr(new.reference, 9) AS INTEGER) AND new.reference = 'settled:' || l.id || iif(EXISTS (
      SELECT 1 FROM adjustments a
      WHERE a.program_id = l.program_id AND a.partner_id = l.partner_id AND a.reference = 'settled:' || l.id
        AND a.created_at < l.failed_at AND a.reason_id < l.failure_id
    ), ':late', '')
    AND l.program_id = new.program_id AND l.partner_id = new.partner_id AND l.currency = new.currency
    AND l.late_settlement_id IS NOT NULL AND new.amount_cents = -l.amount_cents
)
BEGIN
  SELECT raise(ABORT, 'not the late settlement of a line');
END;
--> statement-breakpoint
-- Only the award of a bonus can use the bonus's references, and only for exactly the bonus's amount. A partner is
-- therefore paid a bonus at most once for a period.
CREATE TRIGGER adjustments_of_bonus BEFORE INSERT ON adjustments
WHEN substr(new.reference, 1, 6) = 'bonus:' AND NOT EXISTS (
  SELECT 1 FROM bonuses b
  WHERE b.id = cast(substr(new.reference, 7) AS INTEGER) AND b.program_id = new.program_id
    AND b.amount_cents = new.amount_cents AND b.currency = new.currency
    AND substr(new.reference, 1, length(b.id) + 7) = 'bonus:' || b.id || ':'
    AND substr(new.reference, length(b.id) + 8) GLOB CASE b.period
      WHEN 'month' THEN '[0-9][0-9][0-9][0-9]-[01][0-9]' WHEN 'quarter' THEN '[0-9][0-9][0-9][0-9]-Q[1-4]'
      ELSE '[0-9][0-9][0-9][0-9]' END
    AND substr(new.reference, length(b.id) + 8) BETWEEN b.from_period AND coalesce(b.until_period, '9999-Q4')
)
BEGIN
  SELECT raise(ABORT, 'not the award of a bonus');
END;
--> statement-breakpoint
-- When a correction replaces a sale, removes the sale's commission from the daily counts. (Other triggers remove the
-- sale and its refunds.) The correction's audit entry is inserted after all of these rows, and a corrected sale never
-- changes again.
CREATE TRIGGER audit_entries_of_correction AFTER INSERT ON audit_entries
WHEN new.action = 'sale.corrected'
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, commission_cents)
  SELECT e.program_id, e.is_test, e.day, e.partner_id, e.currency, -e.amount_cents
  FROM commissions c CROSS JOIN ledger_entries e ON e.commission_id = c.id
  WHERE c.sale_id = cast(substr(new.subject, 6) AS integer) AND c.program_id = new.program_id
  ON CONFLICT DO UPDATE SET commission_cents = commission_cents + excluded.commission_cents;
END;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
-- Rejects deletes, because the adjustments that award the bonus refer to its row.
CREATE TRIGGER bonuses_no_delete BEFORE DELETE ON bonuses
BEGIN
  SELECT raise(ABORT, 'bonuses never change');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete the row with the same id without running delete triggers.
CREATE TRIGGER bonuses_no_replace BEFORE INSERT ON bonuses
WHEN EXISTS (SELECT 1 FROM bonuses WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'bonuses never change');
END;
--> statement-breakpoint
-- Reports the claim to the team by an event, and adds it to the number of open claims, which is limited.
CREATE TRIGGER claims_opened AFTER INSERT ON claims
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.claim_opened', new.id);
  INSERT INTO claim_counts (program_id, open) VALUES (new.program_id, 1)
  ON CONFLICT (program_id) DO UPDATE SET open = claim_counts.open + 1;
END;
--> statement-breakpoint
-- A decided claim no longer counts towards the limit on open claims.
CREATE TRIGGER claims_closed AFTER UPDATE OF status ON claims
WHEN old.status = 'open' AND new.status <> 'open'
BEGIN
  UPDATE claim_counts SET open = open - 1 WHERE program_id = new.program_id;
END;
--> statement-breakpoint
-- A claim is decided only once. After that, only its texts can be removed.
CREATE TRIGGER claims_decided_once BEFORE UPDATE ON claims
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.partner_id <> old.partner_id OR new.day <> old.day
  OR new.amount_cents IS NOT old.amount_cents OR new.currency IS NOT old.currency
  OR new.reference_id IS NOT old.reference_id OR new.note_id IS NOT old.note_id OR new.created_at <> old.created_at
  OR (new.digest IS NOT NULL AND new.digest IS NOT old.digest)
  OR (old.status <> 'open' AND (new.status <> old.status OR new.sale_id IS NOT old.sale_id
    OR new.pays_past <> old.pays_past OR new.partner_note_id IS NOT old.partner_note_id
    OR new.decided_at <> old.decided_at OR new.has_texts > old.has_texts))
BEGIN
  SELECT raise(ABORT, 'a claim is decided once');
END;
--> statement-breakpoint
-- Rejects deletes, because audit entries and events refer to the claim.
CREATE TRIGGER claims_no_delete BEFORE DELETE ON claims
BEGIN
  SELECT raise(ABORT, 'claims are never deleted');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER claims_no_replace BEFORE INSERT ON claims
WHEN EXISTS (SELECT 1 FROM claims WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'claims are never deleted');
END;
--> statement-breakpoint
-- Clears `is_latest` of the owner's previous version, so that lists find the newest version without comparing versions.
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
-- A program's sales are counted once it has a policy with tiers. The counted sales are those that may still be
-- corrected or reported late: the sales since January 1 of the year of the day 400 days ago. The counts of a new
-- version's periods are then compared with its thresholds.
CREATE TRIGGER commission_policies_tiered AFTER INSERT ON commission_policies
WHEN new.tiers IS NOT NULL
BEGIN
  INSERT INTO tier_books (program_id, is_test, counted_from, count_from, scanned_to, scan_from)
  SELECT new.program_id, b.is_test, 9007199254740991,
    unixepoch(new.effective_from / 1000 - 400 * 86400, 'unixepoch', 'start of year') * 1000 - 86400000, 0,
    strftime(iif(new.tiers ->> 'period' = 'month', '%Y-%m', '%Y-01'), new.effective_from / 1000 - 86400, 'unixepoch')
  FROM (SELECT 0 AS is_test UNION ALL SELECT 1) b WHERE true
  ON CONFLICT DO UPDATE SET
    scan_from = iif(scanned_to IS NULL, excluded.scan_from, min(scan_from, excluded.scan_from)), scanned_to = 0;
END;
--> statement-breakpoint
-- Rejects deletes, because the reasons for a delayed payment are kept permanently.
CREATE TRIGGER commission_signals_no_delete BEFORE DELETE ON commission_signals
BEGIN
  SELECT raise(ABORT, 'signals are kept');
END;
--> statement-breakpoint
-- A signal can only be ended, and only once. Its evidence names no person, so not even an erasure changes it.
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
-- The amount is in the account `pending` until the approval, which sets `payable_number`, and in `payable` after it. If
-- an update moves a commission to another partner, it runs before the entries of the move are written. An approval in
-- that update therefore applies to the amount of the previous partner, in the previous currency.
CREATE TRIGGER commissions_balanced AFTER UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND (old.payable_number IS NULL) <> (new.payable_number IS NULL) AND new.amount_cents <> 0
BEGIN
  UPDATE partner_balances SET
    pending_cents = pending_cents - iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents),
    payable_cents = payable_cents + iif(new.payable_number IS NULL, -new.amount_cents, new.amount_cents)
  WHERE program_id = new.program_id AND currency = old.currency
    AND partner_id = coalesce(old.partner_id, new.partner_id);
END;
--> statement-breakpoint
-- Bonuses include only approved sales. If the update also moves the commission to another partner, the approval applies
-- to the previous partner.
CREATE TRIGGER commissions_counted AFTER UPDATE OF payable_number ON commissions
WHEN (old.payable_number IS NULL) <> (new.payable_number IS NULL) AND new.amount_cents > 0
BEGIN
  UPDATE tier_counts SET
    approved_sales = approved_sales + iif(new.payable_number IS NULL, -1, 1),
    approved_revenue_cents = approved_revenue_cents + iif(new.payable_number IS NULL, -s.amount_cents, s.amount_cents),
    is_due = 1
  FROM tier_books b CROSS JOIN sales s
  WHERE b.program_id = new.program_id AND b.is_test = new.is_test AND s.id = new.sale_id AND s.occurred_at >= b.counted_from
    AND tier_counts.program_id = new.program_id AND tier_counts.is_test = new.is_test
    AND tier_counts.partner_id = coalesce(old.partner_id, new.partner_id)
    AND tier_counts.month = substr(s.day, 1, 7) AND tier_counts.currency = s.currency;
END;
--> statement-breakpoint
-- A live payout line contains commissions by their payable numbers. A commission in a line keeps its number, and no
-- other commission can get a number that a line contains.
CREATE TRIGGER commissions_numbered BEFORE UPDATE OF payable_number ON commissions
WHEN new.is_test = 0 AND new.payable_number IS NOT old.payable_number AND (
  EXISTS (
    SELECT 1 FROM payout_ranges r
    WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
      AND r.to_number >= new.payable_number
  ) OR (
    SELECT r.from_number < old.payable_number AND (
      old.status = 'approved'
      OR old.reversed_number > (SELECT p.finalized_number FROM payouts p WHERE p.id = r.payout_id)
    )
    FROM payout_ranges r
    WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
      AND r.to_number >= old.payable_number
    ORDER BY r.to_number LIMIT 1
  )
)
BEGIN
  SELECT raise(ABORT, 'a live line keeps its commissions');
END;
--> statement-breakpoint
-- Writes only one event for each commit, however many statements of the commit change the commission: `event_seq` is
-- the number of the commission's last event. For a commission that hasn't earned anything yet, the first ledger entry
-- writes the event instead. A fully reversed commission is still shown as approved, in events and in lists, if it is in
-- a payout line that was finalized before the reversal.
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
    new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until, new.currency
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
      old.is_unconfirmed, old.status = 'pending' AND old.held_at IS NOT NULL, old.hold_until, old.currency
    ),
    json_array(
      new.partner_id, iif(new.status = 'reversed' AND new.reversed_number > line.number, 'approved', new.status), new.amount_cents,
      new.is_unconfirmed, new.status = 'pending' AND new.held_at IS NOT NULL, new.hold_until, new.currency
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
-- Other triggers insert events. This one adds the book's next sequence number and the instant of the commit, which the
-- first statement of each of the Ledger's batches stores in `ledger_writers`. If the database was restored, events
-- written after the backup are lost, and their numbers must not be reused. The feed therefore skips more numbers than
-- were used. An insert of `feed.restarted` writes an event only if numbers must be skipped.
CREATE TRIGGER events_numbered BEFORE INSERT ON events
WHEN new.seq = 0
BEGIN
  -- Events of the verification's own partner aren't in the feed.
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
-- The new group's policy may have tiers, so the counts are compared with its thresholds.
CREATE TRIGGER group_memberships_tiered AFTER INSERT ON group_memberships
BEGIN
  UPDATE tier_counts SET is_due = 1
  WHERE program_id = new.program_id AND is_test IN (0, 1) AND partner_id = new.partner_id
    AND month >= strftime('%Y-01', new.effective_from / 1000 - 86400, 'unixepoch');
END;
--> statement-breakpoint
-- Only this trigger changes a commission's amount, so it is always the sum of the commission's entries. The `earned`
-- entry also reports the commission as created.
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON ledger_entries
WHEN new.commission_id IS NOT NULL
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  SELECT new.program_id, new.is_test, 'commission.created', c.id, json_array(
    c.partner_id, c.status, new.amount_cents, c.is_unconfirmed, c.status = 'pending' AND c.held_at IS NOT NULL, c.hold_until,
    new.currency
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
  -- For tiers and bonuses, a sale counts while its commission is above 0. When a sale moves, its first entry removes it from the
  -- count of the previous partner, and its second entry adds it to the count of the new one.
  INSERT INTO tier_counts (
    program_id, is_test, partner_id, month, currency, sales, revenue_cents, approved_sales, approved_revenue_cents
  )
  SELECT new.program_id, new.is_test, new.partner_id, substr(s.day, 1, 7), s.currency,
    iif(c.amount_cents > 0, 1, -1), iif(c.amount_cents > 0, s.amount_cents, -s.amount_cents),
    iif(c.payable_number IS NULL, 0, iif(c.amount_cents > 0, 1, -1)),
    iif(c.payable_number IS NULL, 0, iif(c.amount_cents > 0, s.amount_cents, -s.amount_cents))
  FROM tier_books b CROSS JOIN commissions c CROSS JOIN sales s
  WHERE b.program_id = new.program_id AND b.is_test = new.is_test AND c.id = new.commission_id AND s.id = c.sale_id
    AND s.occurred_at >= b.counted_from AND (c.amount_cents > 0) <> (c.amount_cents > new.amount_cents)
  ON CONFLICT DO UPDATE SET
    sales = sales + excluded.sales, revenue_cents = revenue_cents + excluded.revenue_cents,
    approved_sales = approved_sales + excluded.approved_sales,
    approved_revenue_cents = approved_revenue_cents + excluded.approved_revenue_cents, is_due = 1;
END;
--> statement-breakpoint
-- An entry of a payout line either pays a live line, or returns a paid line that failed, with exactly the line's
-- amount.
CREATE TRIGGER ledger_entries_of_payout BEFORE INSERT ON ledger_entries
WHEN new.payout_line_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.id = new.payout_line_id AND l.program_id = new.program_id AND l.partner_id = new.partner_id
    AND l.currency = new.currency AND new.is_test = 0
    AND iif(p.settled_by = 'api', l.settled_at IS NOT NULL, p.status = 'paid')
    AND CASE new.kind
      WHEN 'paid' THEN l.state = 'live' AND new.amount_cents = -l.amount_cents
      ELSE l.state = 'failed' AND new.amount_cents = l.amount_cents
    END
)
BEGIN
  SELECT raise(ABORT, 'not the payment of a line');
END;
--> statement-breakpoint
-- If a mail is withdrawn, marks its statement as not mailed, so that it can be mailed to another address.
CREATE TRIGGER mails_withdrawn BEFORE DELETE ON mails
WHEN old.due_at IS NOT NULL AND old.payout_line_id IS NOT NULL AND old.template <> 'line_failed'
BEGIN
  UPDATE payout_lines SET statement_mailed_at = NULL WHERE id = old.payout_line_id;
END;
--> statement-breakpoint
-- Deletes a removed member's mail of the day, unless it was already sent. If it isn't written yet, deletes the tasks
-- for it.
CREATE TRIGGER memberships_end_team_mail AFTER DELETE ON memberships
BEGIN
  DELETE FROM team_mail_tasks WHERE user_id = old.user_id
    AND program_id IN (SELECT p.program_id FROM program_places p WHERE p.workspace_id = old.workspace_id);
  DELETE FROM mails WHERE due_at IS NOT NULL
    AND id IN (SELECT 'team.' || r.day || '.' || old.user_id FROM team_mail_runs r);
END;
--> statement-breakpoint
-- Deletes a suspended member's mail of the day, or the tasks for it, in the same way.
CREATE TRIGGER memberships_suspend_team_mail AFTER UPDATE OF status ON memberships
WHEN new.status <> 'active'
BEGIN
  DELETE FROM team_mail_tasks WHERE user_id = old.user_id
    AND program_id IN (SELECT p.program_id FROM program_places p WHERE p.workspace_id = old.workspace_id);
  DELETE FROM mails WHERE due_at IS NOT NULL
    AND id IN (SELECT 'team.' || r.day || '.' || old.user_id FROM team_mail_runs r);
END;
--> statement-breakpoint
-- Rejects all changes of a note except the removal of its text, when a person is erased or retention deletes the text.
CREATE TRIGGER notes_erased_only BEFORE UPDATE ON notes
WHEN new.text IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.kind <> old.kind
  OR new.subject <> old.subject
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- Rejects deletes, because audit entries refer to the note.
CREATE TRIGGER notes_no_delete BEFORE DELETE ON notes
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER notes_no_replace BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
--> statement-breakpoint
-- Rejects updates, because the explanations of earlier sales show the offer.
CREATE TRIGGER offers_no_update BEFORE UPDATE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;
--> statement-breakpoint
-- Rejects deletes: without this row, the previous offer would be in force again.
CREATE TRIGGER offers_no_delete BEFORE DELETE ON offers
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers.
CREATE TRIGGER offers_no_replace BEFORE INSERT ON offers
WHEN EXISTS (SELECT 1 FROM offers WHERE program_id = new.program_id AND version = new.version)
BEGIN
  SELECT raise(ABORT, 'offers are append-only');
END;
--> statement-breakpoint
-- Ensures that erased data stays erased, and that an erased partner stays paused and no longer earns.
CREATE TRIGGER partners_erased_for_good BEFORE UPDATE ON partners
WHEN old.erasure_id IS NOT NULL AND (
  new.erasure_id IS NOT old.erasure_id OR new.name <> old.name OR new.status <> old.status
  OR coalesce(new.email, new.email_hash, new.similar_hash, new.external_id) IS NOT NULL
)
BEGIN
  SELECT raise(ABORT, 'an erased partner stays erased');
END;
--> statement-breakpoint
-- A line of a final payout must be paid as it was approved. Its state can change only once, to failed. If the payout is
-- settled by API, a live line can be settled once, and a failed line can have one late settlement. If the partner is
-- erased, the line loses the address, the external id and the salt of the evidence, and also the name unless the line
-- is paid. A statement stays marked as mailed, unless its mail is withdrawn before it is sent.
CREATE TRIGGER payout_lines_final BEFORE UPDATE ON payout_lines
WHEN EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND status <> 'draft') AND (
  new.id <> old.id OR new.program_id <> old.program_id OR new.payout_id <> old.payout_id
  OR new.partner_id <> old.partner_id OR new.currency <> old.currency
  OR ((
    new.name <> old.name OR new.email IS NOT old.email OR new.external_id IS NOT old.external_id
    OR new.evidence_salt IS NOT old.evidence_salt
  ) AND (
    NOT EXISTS (
      SELECT 1 FROM erasures e WHERE e.program_id = old.program_id AND e.subject = 'partner' AND e.erased_at IS NULL
    ) OR (new.name <> old.name AND old.state = 'live' AND EXISTS (
      SELECT 1 FROM payouts
      WHERE id = old.payout_id AND iif(settled_by = 'api', old.settled_at IS NOT NULL, status = 'paid')
    ))
  ))
  OR new.payment_id IS NOT old.payment_id OR new.amount_cents <> old.amount_cents
  OR new.commissions <> old.commissions OR new.commissions_cents <> old.commissions_cents
  OR new.adjustments_cents <> old.adjustments_cents OR new.before_cents IS NOT old.before_cents
  OR new.reason IS NOT old.reason OR new.evidence IS NOT old.evidence
  OR (new.statement_number IS NOT old.statement_number AND (
    old.statement_number IS NOT NULL
    OR NOT EXISTS (
      SELECT 1 FROM payouts
      WHERE id = old.payout_id AND iif(settled_by = 'api', new.settled_at IS NOT NULL, status = 'paid')
    )
  ))
  OR ((new.settled_at IS NOT old.settled_at OR new.settlement_id IS NOT old.settlement_id) AND (
    old.settled_at IS NOT NULL OR new.settled_at IS NULL
    OR old.state <> 'live' OR new.state <> 'live'
    OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND settled_by = 'api' AND status = 'final')
  ))
  OR ((new.late_settled_at IS NOT old.late_settled_at OR new.late_settlement_id IS NOT old.late_settlement_id) AND (
    old.late_settled_at IS NOT NULL OR new.late_settled_at IS NULL
    OR old.state <> 'failed' OR NOT EXISTS (SELECT 1 FROM payouts WHERE id = old.payout_id AND settled_by = 'api')
  ))
  OR (new.given_back_number IS NOT old.given_back_number AND (
    old.given_back_number IS NOT NULL OR old.state <> 'live' OR new.state <> 'failed'
  ))
  OR (new.statement_mailed_at IS NOT old.statement_mailed_at AND (
    new.statement_number IS NULL
    OR (old.statement_mailed_at IS NOT NULL AND (new.statement_mailed_at IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM mails m
      WHERE m.payout_line_id = old.id AND m.template <> 'line_failed' AND m.due_at IS NOT NULL
    )))
  ))
  OR (old.state = 'failed' AND (
    new.failed_at <> old.failed_at OR new.failed_by <> old.failed_by OR new.failure_id <> old.failure_id
    OR new.partner_note_id IS NOT old.partner_note_id
  ))
  OR (new.state <> old.state AND (
    old.state <> 'live' OR new.state <> 'failed'
    OR NOT EXISTS (
      SELECT 1 FROM payouts WHERE id = old.payout_id AND iif(
        settled_by = 'api',
        status IN ('final', 'paid') AND (old.settled_at IS NULL) = (new.given_back_number IS NOT NULL),
        status = 'paid' AND new.given_back_number IS NULL
      )
    )
  ))
)
BEGIN
  SELECT raise(ABORT, 'the lines of a final payout never change');
END;
--> statement-breakpoint
-- If a line is given back without a settlement, moves its amount from `in payout` to `payable`. No ledger entry is
-- needed.
CREATE TRIGGER payout_lines_given_back AFTER UPDATE OF state ON payout_lines
WHEN old.state = 'live' AND new.state = 'failed' AND new.given_back_number IS NOT NULL
BEGIN
  UPDATE partner_balances SET
    payable_cents = payable_cents + new.amount_cents, in_payout_cents = in_payout_cents - new.amount_cents
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id;
END;
--> statement-breakpoint
-- If a payout is settled by API, an event reports the payment of each line.
CREATE TRIGGER payout_lines_settled AFTER UPDATE OF settled_at ON payout_lines
WHEN old.settled_at IS NULL AND new.settled_at IS NOT NULL
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'payout.line_settled', new.id);
END;
--> statement-breakpoint
-- Ensures that no ledger number is in two live lines of a partner and currency, and that a range begins where a gap
-- begins.
CREATE TRIGGER payout_ranges_apart BEFORE INSERT ON payout_ranges
WHEN new.to_number > (
  SELECT r.from_number FROM payout_ranges r
  WHERE r.program_id = new.program_id AND r.currency = new.currency AND r.partner_id = new.partner_id
    AND r.to_number > new.from_number
  ORDER BY r.to_number LIMIT 1
) OR new.from_number <> coalesce((
  SELECT g.from_number FROM payout_gaps g
  WHERE g.program_id = new.program_id AND g.currency = new.currency AND g.partner_id = new.partner_id
    AND g.to_number >= new.to_number
  ORDER BY g.to_number LIMIT 1
), 0) OR NOT EXISTS (
  SELECT 1 FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
  WHERE l.payout_id = new.payout_id AND l.partner_id = new.partner_id AND l.state = 'live' AND p.status = 'final'
    AND p.program_id = new.program_id AND p.currency = new.currency AND new.to_number <= p.cut
)
BEGIN
  SELECT raise(ABORT, 'a number is in one live line');
END;
--> statement-breakpoint
-- When a line ends, reports those of its commissions as reversed that were fully reversed after the line was finalized.
-- While they were in the line, they were shown as approved.
CREATE TRIGGER payout_ranges_end_told AFTER DELETE ON payout_ranges
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  SELECT program_id, is_test, 'commission.updated', id,
    json_array(partner_id, 'approved', amount_cents, is_unconfirmed, 0, hold_until, currency),
    json_array(partner_id, status, amount_cents, is_unconfirmed, 0, hold_until, currency)
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
-- Rejects changes of status that aren't allowed. A paid or canceled payout is closed.
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
-- Rejects changes of the terms that decide the payments, such as the cutoff. Once the payout is final, the totals can't
-- change either.
CREATE TRIGGER payouts_terms_stay BEFORE UPDATE ON payouts
WHEN new.id <> old.id OR new.program_id <> old.program_id OR new.currency <> old.currency OR new.cut <> old.cut
  OR new.until <> old.until OR new.reference <> old.reference OR new.minimum_cents <> old.minimum_cents
  OR new.partner_ids IS NOT old.partner_ids OR new.created_at <> old.created_at OR new.created_by <> old.created_by
  OR (old.status <> 'draft' AND (
    new.total_cents <> old.total_cents OR new.line_count <> old.line_count
    OR new.finalized_number IS NOT old.finalized_number OR new.settled_by <> old.settled_by
  ))
  OR new.settled_cents < old.settled_cents OR new.given_back_cents < old.given_back_cents
  OR new.returned_cents < old.returned_cents
  OR (old.status IN ('paid', 'canceled') AND new.canceled_number IS NOT old.canceled_number)
BEGIN
  SELECT raise(ABORT, 'a final payout never changes');
END;
--> statement-breakpoint
-- Rejects deletes, because the ledger has entries of the payout.
CREATE TRIGGER payouts_stay BEFORE DELETE ON payouts
BEGIN
  SELECT raise(ABORT, 'a payout is never deleted');
END;
--> statement-breakpoint
-- A line can't pay more than the partner's payable balance.
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
-- Finalizing a payout moves the lines' amounts from `payable` to `in payout`, and canceling it moves them back.
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
-- Adds the payout's lines to the live lines, so that later payouts find the newest line of each partner without
-- scanning the older ones.
CREATE TRIGGER payouts_lines_begin AFTER UPDATE OF status ON payouts
WHEN old.status = 'draft' AND new.status = 'final'
BEGIN
  INSERT INTO live_lines (program_id, currency, partner_id, finalized_number, payout_id)
  SELECT l.program_id, l.currency, l.partner_id, new.finalized_number, new.id
  FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live';
END;
--> statement-breakpoint
-- Removes the lines of a canceled payout from the live lines, so that later payouts don't read them.
CREATE TRIGGER payouts_lines_end AFTER UPDATE OF status ON payouts
WHEN old.status = 'final' AND new.status = 'canceled'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND finalized_number = new.finalized_number
    AND partner_id IN (SELECT l.partner_id FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live');
END;
--> statement-breakpoint
-- Reports changes of a payout, except of a draft. If a payout is settled by API, the events of its lines report the
-- payments.
CREATE TRIGGER payouts_told AFTER UPDATE OF status ON payouts
WHEN old.status <> new.status AND (old.status = 'final' OR new.status = 'final')
  AND NOT (new.settled_by = 'api' AND new.status = 'paid')
BEGIN
  INSERT INTO events (program_id, is_test, type, subject)
  VALUES (
    new.program_id, 0,
    CASE new.status WHEN 'final' THEN 'payout.finalized' WHEN 'paid' THEN 'payout.confirmed' ELSE 'payout.canceled' END, new.id
  );
END;
--> statement-breakpoint
-- Each payment has one statement for the partner, numbered in the order of the payments. If the payout is settled by
-- API, the number is set together with the line's settlement.
CREATE TRIGGER payouts_statements AFTER UPDATE OF status ON payouts
WHEN old.status <> 'paid' AND new.status = 'paid' AND new.settled_by = 'person'
BEGIN
  UPDATE payout_lines SET statement_number = 1 + coalesce((
    SELECT max(s.statement_number) FROM payout_lines s
    WHERE s.partner_id = payout_lines.partner_id AND s.statement_number IS NOT NULL
  ), 0)
  WHERE payout_id = new.id AND state = 'live';
END;
--> statement-breakpoint
-- Tiers by revenue count only sales in the program's currency. If the currency changes, the counts are therefore
-- compared with the thresholds again.
CREATE TRIGGER programs_tiered AFTER UPDATE OF currency ON programs
WHEN old.currency <> new.currency
BEGIN
  UPDATE tier_books SET scanned_to = 0, scan_from = min(scan_from, strftime('%Y-01', unixepoch() - 86400, 'unixepoch'))
  WHERE program_id = new.id;
END;
--> statement-breakpoint
-- Removes a sale from the hourly counts if it loses its partner, which can happen to a sale credited by a coupon.
CREATE TRIGGER sales_of_the_hour_left AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  UPDATE recent_hours SET sales = sales - 1
  WHERE program_id = new.program_id AND is_test = new.is_test AND hour = new.occurred_at / 3600000;
END;
--> statement-breakpoint
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
--> statement-breakpoint
-- Rejects updates, because a step has decided sales, and their explanations show it.
CREATE TRIGGER tier_steps_no_update BEFORE UPDATE ON tier_steps
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;
--> statement-breakpoint
-- Rejects deletes: without this row, the previous step would apply again.
CREATE TRIGGER tier_steps_no_delete BEFORE DELETE ON tier_steps
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers. Also
-- rejects a step with a lower number than the newest one, because it would never apply.
CREATE TRIGGER tier_steps_no_replace BEFORE INSERT ON tier_steps
WHEN EXISTS (
  SELECT 1 FROM tier_steps
  WHERE policy_id = new.policy_id AND partner_id = new.partner_id AND is_test = new.is_test AND period = new.period
    AND number >= new.number
)
BEGIN
  SELECT raise(ABORT, 'steps are append-only');
END;
--> statement-breakpoint
-- Rejects updates, because stored amounts and explanations depend on a unit's digits and words.
CREATE TRIGGER units_no_update BEFORE UPDATE ON units
BEGIN
  SELECT raise(ABORT, 'units never change');
END;
--> statement-breakpoint
-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers.
CREATE TRIGGER units_no_replace BEFORE INSERT ON units
WHEN EXISTS (SELECT 1 FROM units WHERE program_id = new.program_id AND code = new.code)
BEGIN
  SELECT raise(ABORT, 'units never change');
END;
--> statement-breakpoint
-- Rejects deletes: without the row, amounts in the unit couldn't be formatted.
CREATE TRIGGER units_no_delete BEFORE DELETE ON units
BEGIN
  SELECT raise(ABORT, 'units never change');
END;
--> statement-breakpoint
-- Limits the number of unknown codes per day, because anyone can send visits with invented codes.
CREATE TRIGGER unknown_codes_limited BEFORE INSERT ON unknown_codes
WHEN NOT EXISTS (
  SELECT 1 FROM unknown_codes u
  WHERE u.program_id = new.program_id AND u.is_test = new.is_test AND u.day = new.day AND u.code = new.code
) AND (
  SELECT count(*) FROM unknown_codes u
  WHERE u.program_id = new.program_id AND u.is_test = new.is_test AND u.day = new.day
) >= 100
BEGIN
  SELECT raise(IGNORE);
END;
--> statement-breakpoint
-- Reports a webhook that a member disabled, or that was disabled after days of failures.
CREATE TRIGGER webhooks_told AFTER UPDATE OF status ON webhooks
WHEN old.status <> new.status AND new.status = 'disabled'
BEGIN
  -- What waits until now is sent once the webhook is enabled. What happens from here on isn't.
  UPDATE webhooks SET replays = json_insert(replays, '$[#]', json_array(cursor + 1, newest.seq, 1)), cursor = newest.seq
  FROM (SELECT max(seq) AS seq FROM events WHERE program_id = new.program_id AND is_test = new.is_test) newest
  WHERE id = new.id AND cursor < newest.seq;
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, new.is_test, 'webhook.disabled', new.id);
END;
