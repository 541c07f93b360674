DROP INDEX `ledger_entries_commission`;
--> statement-breakpoint
DROP INDEX `ledger_entries_earned`;
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_entries_commission` ON `ledger_entries` (`commission_id`,id * (kind <> 'earned')) WHERE commission_id is not null;
