-- Reports a webhook that a member disabled, or that was disabled after days of failures.
CREATE TRIGGER webhooks_told AFTER UPDATE OF status ON webhooks
WHEN old.status <> new.status AND new.status = 'disabled'
BEGIN
  -- What waits until now is sent once the webhook is enabled. What happens from here on isn't.
  UPDATE webhooks SET replays = json_insert(replays, '$[#]', json_array(cursor + 1, newest.seq, 1)), cursor = newest.seq
  FROM (SELECT max(seq) AS seq FROM events WHERE program_id = new.program_id AND is_test = new.is_test) newest
  WHERE id = new.id AND cursor < newest.seq;
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, new.is_test, 'webhook.disabled', new.id);
END;

-- The events and the log of a deleted webhook stay, so its id must never be assigned to another webhook.
CREATE TRIGGER webhooks_id_spent AFTER DELETE ON webhooks
BEGIN
  INSERT INTO id_floors (id) SELECT old.id WHERE old.id > coalesce((SELECT max(id) FROM id_floors), 0);
END;
