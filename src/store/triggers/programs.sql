-- The directory has every program that home creates, whoever inserts it. A program on another shard is entered before it exists.
CREATE TRIGGER programs_placed
AFTER INSERT ON programs WHEN new.id < 1000000000000
BEGIN
  INSERT OR IGNORE INTO program_places (program_id, workspace_id, shard, created_at)
  VALUES (new.id, new.workspace_id, 0, new.created_at);
END;
