-- Prevents a deleted user from becoming a partner by an invitation accepted just before.
CREATE TRIGGER account_partners_of_users BEFORE INSERT ON account_partners
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.account_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
