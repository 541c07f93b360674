-- A deleted user is the author of what they did, and nothing more. What a request of theirs decided before comes too late.
CREATE TRIGGER users_stay_deleted BEFORE UPDATE ON users
WHEN old.email GLOB 'deleted:*'
BEGIN
  SELECT raise(IGNORE);
END;

CREATE TRIGGER memberships_of_users BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;

CREATE TRIGGER account_partners_of_users BEFORE INSERT ON account_partners
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.account_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;

CREATE TRIGGER second_factors_of_users BEFORE INSERT ON second_factors
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;
