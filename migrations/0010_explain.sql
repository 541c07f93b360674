ALTER TABLE `leads` ADD `explanation` text;--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (`program_id`,`subject`);--> statement-breakpoint
CREATE INDEX `commissions_status` ON `commissions` (`program_id`,`is_test`,`status`);--> statement-breakpoint
-- Its columns come first in the index above.
DROP INDEX `commissions_program`;
