-- The rows prove who agreed to which version of the terms, and when.
CREATE TRIGGER accepted_terms_no_update BEFORE UPDATE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;

-- A deleted row could no longer prove who agreed.
CREATE TRIGGER accepted_terms_no_delete BEFORE DELETE ON accepted_terms
BEGIN
  SELECT raise(ABORT, 'accepted terms are append-only');
END;
