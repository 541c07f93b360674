ALTER TABLE `leads` ADD `explanation` text;--> statement-breakpoint
CREATE INDEX `audit_entries_subject` ON `audit_entries` (`program_id`,`subject`);