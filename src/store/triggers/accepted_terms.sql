-- The program can prove who agreed to which version, and when.
CREATE TRIGGER accepted_terms_no_update BEFORE UPDATE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;

-- The same.
CREATE TRIGGER accepted_terms_no_delete BEFORE DELETE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;
