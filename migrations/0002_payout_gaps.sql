-- What payouts read of earlier ones is kept by triggers from now on, and filled here from the ranges and lines that are stored.
CREATE TABLE `payout_gaps` (
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer NOT NULL,
	`to_number` integer NOT NULL,
	`from_number` integer NOT NULL,
	PRIMARY KEY(`program_id`, `currency`, `partner_id`, `to_number`),
	CONSTRAINT "payout_gaps_order" CHECK("payout_gaps"."from_number" < "payout_gaps"."to_number" and "payout_gaps"."from_number" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `live_lines` (
	`program_id` integer NOT NULL,
	`currency` text NOT NULL,
	`partner_id` integer NOT NULL,
	`finalized_number` integer NOT NULL,
	`payout_id` integer NOT NULL,
	PRIMARY KEY(`program_id`, `currency`, `partner_id`, `finalized_number`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
SELECT program_id, currency, partner_id, from_number, end_before FROM (
  SELECT program_id, currency, partner_id, from_number,
    lag(to_number, 1, 0) OVER (PARTITION BY program_id, currency, partner_id ORDER BY to_number) AS end_before
  FROM payout_ranges
) WHERE end_before < from_number;
--> statement-breakpoint
INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
SELECT program_id, currency, partner_id, 9007199254740991, max(to_number) FROM payout_ranges GROUP BY 1, 2, 3;
--> statement-breakpoint
INSERT INTO live_lines (program_id, currency, partner_id, finalized_number, payout_id)
SELECT l.program_id, l.currency, l.partner_id, p.finalized_number, p.id
FROM payout_lines l JOIN payouts p ON p.id = l.payout_id
WHERE l.state = 'live' AND p.status IN ('final', 'paid');
--> statement-breakpoint
-- 9007199254740991 is above every number: the gap has no end.
CREATE TRIGGER payout_ranges_taken AFTER INSERT ON payout_ranges
BEGIN
  INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
  VALUES (new.program_id, new.currency, new.partner_id, 9007199254740991, 0)
  ON CONFLICT DO NOTHING;

  UPDATE payout_gaps SET from_number = new.to_number
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND from_number = new.from_number AND to_number = (
      SELECT g.to_number FROM payout_gaps g
      WHERE g.program_id = new.program_id AND g.currency = new.currency AND g.partner_id = new.partner_id
        AND g.to_number > new.to_number
      ORDER BY g.to_number LIMIT 1
    );

  DELETE FROM payout_gaps
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND to_number = new.to_number;
END;
--> statement-breakpoint
-- What is free below it and above it becomes one gap with it.
CREATE TRIGGER payout_ranges_freed AFTER DELETE ON payout_ranges
BEGIN
  INSERT INTO payout_gaps (program_id, currency, partner_id, to_number, from_number)
  SELECT old.program_id, old.currency, old.partner_id,
    coalesce((
      SELECT iif(g.from_number = old.to_number, g.to_number, NULL) FROM payout_gaps g
      WHERE g.program_id = old.program_id AND g.currency = old.currency AND g.partner_id = old.partner_id
        AND g.to_number > old.to_number
      ORDER BY g.to_number LIMIT 1
    ), old.to_number),
    coalesce((
      SELECT g.from_number FROM payout_gaps g
      WHERE g.program_id = old.program_id AND g.currency = old.currency AND g.partner_id = old.partner_id
        AND g.to_number = old.from_number
    ), old.from_number)
  WHERE true
  ON CONFLICT DO UPDATE SET from_number = excluded.from_number;

  DELETE FROM payout_gaps
  WHERE program_id = old.program_id AND currency = old.currency AND partner_id = old.partner_id
    AND to_number = old.from_number;
END;
--> statement-breakpoint
-- Payouts to come read the newest live line of each partner without looking through the older ones.
CREATE TRIGGER payouts_lines_begin AFTER UPDATE OF status ON payouts
WHEN old.status = 'draft' AND new.status = 'final'
BEGIN
  INSERT INTO live_lines (program_id, currency, partner_id, finalized_number, payout_id)
  SELECT l.program_id, l.currency, l.partner_id, new.finalized_number, new.id
  FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live';
END;
--> statement-breakpoint
-- Nor is a canceled one looked past.
CREATE TRIGGER payouts_lines_end AFTER UPDATE OF status ON payouts
WHEN old.status = 'final' AND new.status = 'canceled'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND finalized_number = new.finalized_number
    AND partner_id IN (SELECT l.partner_id FROM payout_lines l WHERE l.payout_id = new.id AND l.state = 'live');
END;
--> statement-breakpoint
-- Write-offs and replaced details since the partner's newest live line count, and it is no longer that.
CREATE TRIGGER payout_lines_ended AFTER UPDATE OF state ON payout_lines
WHEN old.state = 'live' AND new.state = 'failed'
BEGIN
  DELETE FROM live_lines
  WHERE program_id = new.program_id AND currency = new.currency AND partner_id = new.partner_id
    AND finalized_number = (SELECT p.finalized_number FROM payouts p WHERE p.id = new.payout_id);
END;
