-- Reports a pending application. An application that the open join page approves at once is reported as the new
-- partner.
CREATE TRIGGER applications_told AFTER INSERT ON applications
WHEN new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;

-- Reports the application of an account that applies again. Such an application updates the account's only row.
CREATE TRIGGER applications_told_again AFTER UPDATE OF status ON applications
WHEN old.status <> 'pending' AND new.status = 'pending'
BEGIN
  INSERT INTO events (program_id, is_test, type, subject) VALUES (new.program_id, 0, 'partner.applied', new.id);
END;
