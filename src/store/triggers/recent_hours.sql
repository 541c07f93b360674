-- Deletes the hours from 48 hours ago and before when a new hour is added, so the table never grows. An upsert of an
-- existing hour adds no row.
CREATE TRIGGER recent_hours_forgotten AFTER INSERT ON recent_hours
BEGIN
  DELETE FROM recent_hours WHERE program_id = new.program_id AND is_test = new.is_test AND hour <= new.hour - 48;
END;
