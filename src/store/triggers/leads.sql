-- Adds each lead to the daily counts, which charts read instead of the leads.
CREATE TRIGGER leads_counted AFTER INSERT ON leads
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, leads, unattributed_leads)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '',
    new.partner_id IS NOT NULL, new.partner_id IS NULL
  )
  ON CONFLICT DO UPDATE SET
    leads = leads + excluded.leads, unattributed_leads = unattributed_leads + excluded.unattributed_leads;
END;

-- If a lead moves to another partner, counts it for that partner, on the lead's own day.
CREATE TRIGGER leads_moved AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  UPDATE daily_counts
  SET leads = leads - (old.partner_id IS NOT NULL), unattributed_leads = unattributed_leads - (old.partner_id IS NULL)
  WHERE program_id = old.program_id AND is_test = old.is_test AND day = old.day
    AND partner_id = coalesce(old.partner_id, 0) AND currency = '';
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, leads, unattributed_leads)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '',
    new.partner_id IS NOT NULL, new.partner_id IS NULL
  )
  ON CONFLICT DO UPDATE SET
    leads = leads + excluded.leads, unattributed_leads = unattributed_leads + excluded.unattributed_leads;
END;

-- Adds attributed leads to the hourly counts, from which readiness shows the events of the last 24 hours.
CREATE TRIGGER leads_of_the_hour AFTER INSERT ON leads
WHEN new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET leads = leads + 1;
END;

-- Adds a lead without a partner to the hourly counts once it gets a partner.
CREATE TRIGGER leads_of_the_hour_attributed AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NULL AND new.partner_id IS NOT NULL AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, leads)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET leads = leads + 1;
END;

-- Removes a lead from the hourly counts if it loses its partner.
CREATE TRIGGER leads_of_the_hour_lost AFTER UPDATE OF partner_id ON leads
WHEN old.partner_id IS NOT NULL AND new.partner_id IS NULL
BEGIN
  UPDATE recent_hours SET leads = leads - 1
  WHERE program_id = old.program_id AND is_test = old.is_test AND hour = old.occurred_at / 3600000;
END;

-- Reports new leads, except provisional ones, because they may never be attributed.
CREATE TRIGGER leads_told AFTER INSERT ON leads
WHEN NOT new.is_provisional
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, after)
  VALUES (new.program_id, new.is_test, 'lead.recorded', new.id, json_array(new.partner_id));
END;
