ALTER TABLE `ledger_writers` ADD `id_floor` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `pending_moves` ADD `policy_version` integer;