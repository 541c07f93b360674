-- One that an open page approves is told as the partner it makes.
CREATE TRIGGER applications_told AFTER INSERT ON applications
WHEN new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;

-- One row for each account, which may apply again.
CREATE TRIGGER applications_told_again AFTER UPDATE OF status ON applications
WHEN old.status <> 'pending' AND new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;
