-- A deleted user is the author of what they did, and nothing more. What a request of theirs decided before comes too late.
CREATE TRIGGER users_stay_deleted BEFORE UPDATE ON users
WHEN old.email GLOB 'deleted:*'
BEGIN
  SELECT raise(IGNORE);
END;
