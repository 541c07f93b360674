-- Prevents a deleted user from becoming a member by an invitation accepted just before.
CREATE TRIGGER memberships_of_users BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
