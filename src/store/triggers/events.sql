-- Other triggers insert events. This one adds the book's next sequence number and the instant of the commit, which the
-- first statement of each of the Ledger's batches stores in `ledger_writers`. If the database was restored, events
-- written after the backup are lost, and their numbers must not be reused. The feed therefore skips more numbers than
-- were used. An insert of `feed.restarted` writes an event only if numbers must be skipped.
CREATE TRIGGER events_numbered BEFORE INSERT ON events
WHEN new.seq = 0
BEGIN
  -- Events of the verification's own partner aren't in the feed.
  SELECT raise(IGNORE) WHERE new.is_test AND EXISTS (
    SELECT 1 FROM partners WHERE id = new.after ->> 0 AND is_synthetic
  );

  INSERT INTO events (program_id, is_test, seq, at, epoch, batch, type, subject, before, after)
  SELECT new.program_id, new.is_test, coalesce(last.seq, 0) + leap.by, max(w.restored_at, coalesce(last.at, 0)), w.epoch, w.seq,
    'feed.restarted', 0, json_array(coalesce(last.seq, 0)), json_array(coalesce(last.seq, 0) + leap.by)
  FROM ledger_writers w
  CROSS JOIN (SELECT 1000000000 + max(0, unixepoch() - 1767225600) * 1000 AS by) leap
  LEFT JOIN events last ON last.program_id = new.program_id AND last.is_test = new.is_test AND last.seq = (
    SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test
  )
  WHERE w.name = 'main' AND w.restored_at IS NOT NULL AND iif(
    last.seq IS NULL,
    w.restored_at > (SELECT created_at FROM programs WHERE id = new.program_id),
    w.restored_epoch > last.epoch
  );

  INSERT INTO events (program_id, is_test, seq, at, epoch, batch, type, subject, before, after)
  SELECT new.program_id, new.is_test, coalesce(last.seq, 0) + 1,
    max(coalesce(w.at, cast(unixepoch('subsec') * 1000 AS integer)), coalesce(last.at, 0)), coalesce(w.epoch, 0), coalesce(w.seq, 0),
    new.type, new.subject, new.before, new.after
  FROM (SELECT 1)
  LEFT JOIN ledger_writers w ON w.name = 'main'
  LEFT JOIN events last ON last.program_id = new.program_id AND last.is_test = new.is_test AND last.seq = (
    SELECT max(seq) FROM events WHERE program_id = new.program_id AND is_test = new.is_test
  )
  WHERE new.type <> 'feed.restarted';

  SELECT raise(IGNORE);
END;

-- Every sixteenth event deletes up to 32 events that are older than 30 days, so that old events never accumulate.
CREATE TRIGGER events_forgotten AFTER INSERT ON events
WHEN new.seq % 16 = 0
BEGIN
  DELETE FROM events
  WHERE program_id = new.program_id AND is_test = new.is_test AND seq IN (
    SELECT seq FROM events WHERE program_id = new.program_id AND is_test = new.is_test ORDER BY seq LIMIT 32
  ) AND at < new.at - 2592000000;
END;
