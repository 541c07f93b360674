ALTER TABLE `payouts` RENAME COLUMN "includes_changed" TO "includes_changed_until";--> statement-breakpoint
UPDATE payouts SET includes_changed_until = coalesce(finalized_at, 0) WHERE includes_changed_until = 1;
