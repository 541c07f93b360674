ALTER TABLE `webhooks` ADD `proved_at` integer;
--> statement-breakpoint
-- Those that there are go on as before.
UPDATE webhooks SET proved_at = created_at;
