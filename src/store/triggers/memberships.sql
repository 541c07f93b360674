-- Prevents a deleted user from becoming a member by an invitation accepted just before.
CREATE TRIGGER memberships_of_users BEFORE INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = new.user_id AND u.email GLOB 'deleted:*')
BEGIN
  SELECT raise(IGNORE);
END;

-- Deletes a removed member's mail of the day, unless it was already sent. If it isn't written yet, deletes the tasks
-- for it.
CREATE TRIGGER memberships_end_team_mail AFTER DELETE ON memberships
BEGIN
  DELETE FROM team_mail_tasks WHERE user_id = old.user_id
    AND program_id IN (SELECT p.program_id FROM program_places p WHERE p.workspace_id = old.workspace_id);
  DELETE FROM mails WHERE due_at IS NOT NULL
    AND id IN (SELECT 'team.' || r.day || '.' || old.user_id FROM team_mail_runs r);
END;

-- Deletes a suspended member's mail of the day, or the tasks for it, in the same way.
CREATE TRIGGER memberships_suspend_team_mail AFTER UPDATE OF status ON memberships
WHEN new.status <> 'active'
BEGIN
  DELETE FROM team_mail_tasks WHERE user_id = old.user_id
    AND program_id IN (SELECT p.program_id FROM program_places p WHERE p.workspace_id = old.workspace_id);
  DELETE FROM mails WHERE due_at IS NOT NULL
    AND id IN (SELECT 'team.' || r.day || '.' || old.user_id FROM team_mail_runs r);
END;
