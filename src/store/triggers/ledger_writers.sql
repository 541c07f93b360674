-- A recreated row would start at an epoch that earlier writers have.
CREATE TRIGGER ledger_writers_stay BEFORE DELETE ON ledger_writers
BEGIN
  SELECT raise(ABORT, 'a writer row is never deleted');
END;

-- The fence: a batch first writes its writer's row. Only the newest epoch passes, in the order of its sequence, and
-- only a claim raises the epoch: it starts the sequence at 0, while a batch has 1 or more. A writer that knows a later
-- epoch than the row, because the database was restored, must claim it again.
CREATE TRIGGER ledger_writers_fence BEFORE UPDATE ON ledger_writers
WHEN NOT (
  (new.epoch > old.epoch AND new.seq = 0) OR (new.epoch = old.epoch AND new.seq = old.seq + 1)
)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;

-- Without a row nothing can be written, and only a claim creates it. This also runs before an upsert that finds its
-- row.
CREATE TRIGGER ledger_writers_first BEFORE INSERT ON ledger_writers
WHEN new.seq <> 0 AND NOT EXISTS (SELECT 1 FROM ledger_writers WHERE name = new.name)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;
