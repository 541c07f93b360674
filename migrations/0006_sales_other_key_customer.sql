CREATE INDEX `sales_other_key_customer` ON `sales` (`customer_id`) WHERE is_other_key = 1;
