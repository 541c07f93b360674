-- Rejects all changes of a note except the removal of its text, when a person is erased or retention deletes the text.
CREATE TRIGGER notes_erased_only BEFORE UPDATE ON notes
WHEN new.text IS NOT NULL OR new.id <> old.id OR new.program_id <> old.program_id OR new.kind <> old.kind
  OR new.subject <> old.subject
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;

-- Rejects deletes, because audit entries refer to the note.
CREATE TRIGGER notes_no_delete BEFORE DELETE ON notes
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;

-- Rejects `insert or replace`, which would delete rows with the same id or unique key without running delete triggers.
CREATE TRIGGER notes_no_replace BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE id = new.id)
BEGIN
  SELECT raise(ABORT, 'notes are append-only');
END;
