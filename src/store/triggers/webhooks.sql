-- By a person, or after days of failures.
CREATE TRIGGER webhooks_told AFTER UPDATE OF status ON webhooks
WHEN old.status <> new.status AND new.status = 'disabled'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, new.is_test, 'webhook.disabled', new.id);
END;
