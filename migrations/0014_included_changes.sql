ALTER TABLE `payouts` RENAME COLUMN "includes_changed" TO "includes_changed_until";
