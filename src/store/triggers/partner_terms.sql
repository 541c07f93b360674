-- The terms that partners have accepted stay as they read them.
CREATE TRIGGER partner_terms_no_update BEFORE UPDATE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;

-- Accepted versions are identified by their number.
CREATE TRIGGER partner_terms_no_delete BEFORE DELETE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;
