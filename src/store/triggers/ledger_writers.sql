-- Rejects deletes, because a recreated row would start at an epoch that earlier writers have.
CREATE TRIGGER ledger_writers_stay BEFORE DELETE ON ledger_writers
BEGIN
  SELECT raise(ABORT, 'a writer row is never deleted');
END;

-- The fence: each batch first writes the row of its writer. The write succeeds only with the newest epoch and with the
-- next sequence number. Only a claim raises the epoch. It has the sequence number 0, and all other batches have 1 or
-- more. A writer whose epoch is later than that of the row, because the database was restored, must claim the row
-- again.
CREATE TRIGGER ledger_writers_fence BEFORE UPDATE ON ledger_writers
WHEN NOT (
  (new.epoch > old.epoch AND new.seq = 0) OR (new.epoch = old.epoch AND new.seq = old.seq + 1)
)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;

-- Without a row no batch can be written, and only a claim creates the row. This trigger also runs before an upsert that
-- finds the row.
CREATE TRIGGER ledger_writers_first BEFORE INSERT ON ledger_writers
WHEN new.seq <> 0 AND NOT EXISTS (SELECT 1 FROM ledger_writers WHERE name = new.name)
BEGIN
  SELECT raise(ABORT, 'fenced');
END;
