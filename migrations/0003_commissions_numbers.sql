CREATE INDEX `commissions_numbers` ON `commissions` (`program_id`,`currency`,`payable_number`,`approved_at`) WHERE is_test = 0 and payable_number is not null;
