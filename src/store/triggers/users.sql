-- Ignores updates of a deleted user, for example by requests sent before the deletion. The row remains only as the
-- author of the user's actions.
CREATE TRIGGER users_stay_deleted BEFORE UPDATE ON users
WHEN old.email GLOB 'deleted:*'
BEGIN
  SELECT raise(IGNORE);
END;
