-- Payments of earlier releases get the numbers of their statements, in the order in which they were recorded.
ALTER TABLE `payout_lines` ADD `statement_number` integer;
--> statement-breakpoint
UPDATE payout_lines SET statement_number = numbered.number
FROM (
  SELECT l.id, row_number() OVER (PARTITION BY l.partner_id ORDER BY e.id) AS number
  FROM payout_lines l JOIN ledger_entries e ON e.payout_line_id = l.id AND e.kind = 'paid'
) numbered
WHERE numbered.id = payout_lines.id;
