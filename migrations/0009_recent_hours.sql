CREATE TABLE `recent_hours` (
	`program_id` integer NOT NULL,
	`is_test` integer NOT NULL,
	`slot` integer NOT NULL,
	`hour` integer NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`leads` integer DEFAULT 0 NOT NULL,
	`sales` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`program_id`, `is_test`, `slot`),
	FOREIGN KEY (`program_id`) REFERENCES `programs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "recent_hours_slot" CHECK(slot = hour % 48)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The newest hour of a slot comes last, and stays.
INSERT INTO recent_hours (program_id, is_test, slot, hour, clicks, leads, sales)
SELECT program_id, is_test, hour % 48, hour, sum(clicks), sum(leads), sum(sales) FROM (
  SELECT t.program_id, t.is_test, t.occurred_at / 3600000 AS hour, 1 AS clicks, 0 AS leads, 0 AS sales
  FROM programs p CROSS JOIN clicks t ON t.program_id = p.id AND t.is_test IN (0, 1)
    AND t.occurred_at >= (unixepoch() / 3600 - 48) * 3600000
  WHERE NOT (t.is_bot OR t.is_prefetch)
  UNION ALL
  SELECT t.program_id, t.is_test, t.occurred_at / 3600000 AS hour, 0, 1, 0
  FROM programs p CROSS JOIN leads t ON t.program_id = p.id AND t.is_test IN (0, 1)
    AND t.occurred_at >= (unixepoch() / 3600 - 48) * 3600000
  WHERE t.partner_id IS NOT NULL
  UNION ALL
  SELECT t.program_id, t.is_test, t.occurred_at / 3600000 AS hour, 0, 0, 1
  FROM programs p CROSS JOIN sales t ON t.program_id = p.id AND t.is_test IN (0, 1)
    AND t.occurred_at >= (unixepoch() / 3600 - 48) * 3600000
  WHERE t.partner_id IS NOT NULL
)
WHERE true GROUP BY 1, 2, 4 ORDER BY hour
ON CONFLICT DO UPDATE SET
  clicks = excluded.clicks, leads = excluded.leads, sales = excluded.sales, hour = excluded.hour;
--> statement-breakpoint
CREATE TRIGGER clicks_of_the_hour AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch) AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, slot, hour, clicks)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000 % 48, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET
    clicks = iif(hour = excluded.hour, clicks, 0) + excluded.clicks,
    leads = iif(hour = excluded.hour, leads, 0) + excluded.leads,
    sales = iif(hour = excluded.hour, sales, 0) + excluded.sales,
    hour = excluded.hour
  WHERE excluded.hour >= hour;
END;
--> statement-breakpoint
CREATE TRIGGER leads_of_the_hour AFTER INSERT ON leads
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, slot, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000 % 48, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET
    clicks = iif(hour = excluded.hour, clicks, 0) + excluded.clicks,
    leads = iif(hour = excluded.hour, leads, 0) + excluded.leads,
    sales = iif(hour = excluded.hour, sales, 0) + excluded.sales,
    hour = excluded.hour
  WHERE excluded.hour >= hour;
END;
--> statement-breakpoint
CREATE TRIGGER sales_of_the_hour AFTER INSERT ON sales
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, slot, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000 % 48, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET
    clicks = iif(hour = excluded.hour, clicks, 0) + excluded.clicks,
    leads = iif(hour = excluded.hour, leads, 0) + excluded.leads,
    sales = iif(hour = excluded.hour, sales, 0) + excluded.sales,
    hour = excluded.hour
  WHERE excluded.hour >= hour;
END;
--> statement-breakpoint
CREATE TRIGGER leads_of_the_hour_attributed AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, slot, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000 % 48, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET
    clicks = iif(hour = excluded.hour, clicks, 0) + excluded.clicks,
    leads = iif(hour = excluded.hour, leads, 0) + excluded.leads,
    sales = iif(hour = excluded.hour, sales, 0) + excluded.sales,
    hour = excluded.hour
  WHERE excluded.hour >= hour;
END;
--> statement-breakpoint
CREATE TRIGGER leads_of_the_hour_lost AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NULL
BEGIN
  UPDATE recent_hours SET leads = leads - 1
  WHERE program_id = old.program_id AND is_test = old.is_test AND slot = old.occurred_at / 3600000 % 48
    AND hour = old.occurred_at / 3600000;
END;
--> statement-breakpoint
CREATE TRIGGER sales_of_the_hour_attributed AFTER UPDATE OF partner_id ON sales
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, slot, hour, sales)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000 % 48, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET
    clicks = iif(hour = excluded.hour, clicks, 0) + excluded.clicks,
    leads = iif(hour = excluded.hour, leads, 0) + excluded.leads,
    sales = iif(hour = excluded.hour, sales, 0) + excluded.sales,
    hour = excluded.hour
  WHERE excluded.hour >= hour;
END;
