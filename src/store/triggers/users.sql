-- A deleted user remains only as the author of their actions. Earlier requests of theirs take no effect.
CREATE TRIGGER users_stay_deleted BEFORE UPDATE ON users
WHEN old.email GLOB 'deleted:*'
BEGIN
  SELECT raise(IGNORE);
END;
