-- What partners have agreed to stays as they read it.
CREATE TRIGGER partner_terms_no_update BEFORE UPDATE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;

-- Versions that were agreed to are named by their number.
CREATE TRIGGER partner_terms_no_delete BEFORE DELETE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;
