CREATE TABLE `sign_up_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`used_by` text,
	`used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`used_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
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
CREATE UNIQUE INDEX `workspace_audit_entries_operation` ON `workspace_audit_entries` (`operation_id`);--> statement-breakpoint
CREATE INDEX `workspace_audit_entries_workspace` ON `workspace_audit_entries` (`workspace_id`);--> statement-breakpoint
ALTER TABLE `invitations` ADD `email` text;--> statement-breakpoint
ALTER TABLE `invitations` ADD `revoked_at` integer;--> statement-breakpoint
CREATE INDEX `invitations_workspace` ON `invitations` (`workspace_id`);--> statement-breakpoint
ALTER TABLE `programs` ADD `archived_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `place` text;--> statement-breakpoint
CREATE TRIGGER workspace_audit_entries_no_update BEFORE UPDATE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER workspace_audit_entries_no_delete BEFORE DELETE ON workspace_audit_entries
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
--> statement-breakpoint
CREATE TRIGGER workspace_audit_entries_no_replace BEFORE INSERT ON workspace_audit_entries
WHEN EXISTS (SELECT 1 FROM workspace_audit_entries WHERE id = new.id)
  OR EXISTS (SELECT 1 FROM workspace_audit_entries WHERE operation_id = new.operation_id)
BEGIN
  SELECT raise(ABORT, 'audit entries are append-only');
END;
