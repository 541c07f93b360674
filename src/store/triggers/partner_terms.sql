-- Rejects updates, because partners have accepted the terms as they read them.
CREATE TRIGGER partner_terms_no_update BEFORE UPDATE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;

-- Rejects deletes, because accepted versions are identified by their number.
CREATE TRIGGER partner_terms_no_delete BEFORE DELETE ON partner_terms
BEGIN
  SELECT raise(ABORT, 'terms are append-only');
END;
