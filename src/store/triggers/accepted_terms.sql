-- Rejects updates, because the rows prove who accepted which version of the terms, and when.
CREATE TRIGGER accepted_terms_no_update BEFORE UPDATE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;

-- Rejects deletes, because a deleted row could no longer prove who accepted the terms.
CREATE TRIGGER accepted_terms_no_delete BEFORE DELETE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;
