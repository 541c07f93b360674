-- Rejects updates, because the codes of a coupon never change.
CREATE TRIGGER coupon_codes_no_update BEFORE UPDATE ON coupon_codes
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;

-- Rejects deletes, because another coupon could then use the deleted code.
CREATE TRIGGER coupon_codes_no_delete BEFORE DELETE ON coupon_codes
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;

-- Rejects `insert or replace`, which would delete the row with the same key without running delete triggers.
CREATE TRIGGER coupon_codes_no_replace BEFORE INSERT ON coupon_codes
WHEN EXISTS (SELECT 1 FROM coupon_codes WHERE program_id = new.program_id AND code_key = new.code_key)
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its codes');
END;
