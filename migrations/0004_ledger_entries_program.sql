CREATE INDEX `ledger_entries_program` ON `ledger_entries` (`program_id`);
