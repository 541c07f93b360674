-- Prevents a deleted user from getting a second factor by a request sent just before.
CREATE TRIGGER second_factors_of_users BEFORE INSERT ON second_factors
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
