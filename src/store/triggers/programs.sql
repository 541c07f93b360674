-- Adds each program that is created on the home shard to the directory, whatever statement creates it. A program on
-- another shard is added before it is created.
CREATE TRIGGER programs_placed
AFTER INSERT ON programs WHEN new.id < 1000000000000
BEGIN
  INSERT OR IGNORE INTO program_places (program_id, workspace_id, shard, created_at)
  VALUES (new.id, new.workspace_id, 0, new.created_at);
END;

-- If this database was restored, the program's feeds must restart before it leaves, because the other shard doesn't
-- know about the restore.
CREATE TRIGGER programs_leaving AFTER UPDATE OF place ON programs
WHEN new.place = 'leaving'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject)
  VALUES (new.id, 0, 'feed.restarted', 0), (new.id, 1, 'feed.restarted', 0);
END;

-- Epochs of the former shard have no meaning in this database. The last event gets the epoch of this database, so that
-- only a later restore of this database restarts the feed.
CREATE TRIGGER programs_arrived AFTER UPDATE OF place ON programs
WHEN old.place = 'arriving' AND new.place = 'here'
BEGIN
  UPDATE events SET (epoch, batch) = (SELECT w.epoch, w.seq FROM ledger_writers w WHERE w.name = 'main')
  WHERE (program_id, is_test, seq) IN (
    SELECT new.id, b.is_test, (SELECT max(e.seq) FROM events e WHERE e.program_id = new.id AND e.is_test = b.is_test)
    FROM (SELECT 0 AS is_test UNION ALL SELECT 1) b
  );
END;

-- Adds the retention row of a new program. A program that comes from another shard brings its own row.
CREATE TRIGGER programs_retained
AFTER INSERT ON programs WHEN new.place <> 'arriving'
BEGIN
  INSERT INTO program_retention (program_id, due_at) VALUES (new.id, (unixepoch() + 86400) * 1000);
END;

-- Tiers by revenue count only sales in the program's currency. If the currency changes, the counts are therefore
-- compared with the thresholds again.
CREATE TRIGGER programs_tiered AFTER UPDATE OF currency ON programs
WHEN old.currency <> new.currency
BEGIN
  UPDATE tier_books SET scanned_to = 0, scan_from = min(scan_from, strftime('%Y-01', unixepoch() - 86400, 'unixepoch'))
  WHERE program_id = new.id;
END;
