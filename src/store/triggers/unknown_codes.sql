-- Limits the number of unknown codes per day, because anyone can send visits with invented codes.
CREATE TRIGGER unknown_codes_limited BEFORE INSERT ON unknown_codes
WHEN NOT EXISTS (
  SELECT 1 FROM unknown_codes u
  WHERE u.program_id = new.program_id AND u.is_test = new.is_test AND u.day = new.day AND u.code = new.code
) AND (
  SELECT count(*) FROM unknown_codes u
  WHERE u.program_id = new.program_id AND u.is_test = new.is_test AND u.day = new.day
) >= 100
BEGIN
  SELECT raise(IGNORE);
END;
