-- By a person, or after days of failures.
CREATE TRIGGER webhooks_told AFTER UPDATE OF status ON webhooks
WHEN old.status <> new.status AND new.status = 'disabled'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, new.is_test, 'webhook.disabled', new.id);
END;

-- Its events and its log outlive it, and must never be another webhook's.
CREATE TRIGGER webhooks_id_spent AFTER DELETE ON webhooks
BEGIN
  INSERT INTO id_floors (id) SELECT old.id WHERE old.id > coalesce((SELECT max(id) FROM id_floors), 0);
END;
