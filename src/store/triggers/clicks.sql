-- Adds clicks to the daily counts, which charts read instead of the clicks. A visitor is counted once per day and
-- partner.
CREATE TRIGGER clicks_counted AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch)
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, clicks, unique_clicks)
  VALUES (
    new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1,
    NOT EXISTS (
      SELECT 1 FROM clicks c
      WHERE c.day = new.day AND c.visitor = new.visitor AND c.partner_id IS new.partner_id AND c.id <> new.id
        AND NOT (c.is_bot OR c.is_prefetch)
    )
  )
  ON CONFLICT DO UPDATE SET clicks = clicks + 1, unique_clicks = unique_clicks + excluded.unique_clicks;
END;

-- Bots and prefetches are counted separately, so that a missing click can be explained.
CREATE TRIGGER clicks_uncounted AFTER INSERT ON clicks
WHEN new.is_bot OR new.is_prefetch
BEGIN
  INSERT INTO daily_counts (program_id, is_test, day, partner_id, currency, uncounted_clicks)
  VALUES (new.program_id, new.is_test, new.day, coalesce(new.partner_id, 0), '', 1)
  ON CONFLICT DO UPDATE SET uncounted_clicks = uncounted_clicks + 1;
END;

-- Ignores a click with the event id of an earlier click on the same link, because it is a duplicate.
CREATE TRIGGER clicks_once BEFORE INSERT ON clicks
WHEN new.event_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM click_event_ids e
  WHERE e.program_id = new.program_id AND e.is_test = new.is_test AND e.link_id = coalesce(new.link_id, 0)
    AND e.event_id = new.event_id AND e.click_id <> new.click_id
)
BEGIN
  SELECT raise(IGNORE);
END;

-- Adds clicks to the hourly counts, from which readiness shows the events of the last 24 hours.
CREATE TRIGGER clicks_of_the_hour AFTER INSERT ON clicks
WHEN NOT (new.is_bot OR new.is_prefetch) AND new.occurred_at >= (unixepoch() - 172800) * 1000
BEGIN
  INSERT INTO recent_hours (program_id, is_test, hour, clicks)
  VALUES (new.program_id, new.is_test, new.occurred_at / 3600000, 1)
  ON CONFLICT DO UPDATE SET clicks = clicks + 1;
END;

-- Records the numbers of removed clicks, because charts still include them. A visitor counts as removed with the last
-- of their clicks of the day and partner.
CREATE TRIGGER clicks_removed AFTER DELETE ON clicks
BEGIN
  INSERT INTO removed_clicks (program_id, is_test, day, partner_id, clicks, unique_clicks, uncounted_clicks)
  VALUES (
    old.program_id, old.is_test, old.day, coalesce(old.partner_id, 0), NOT (old.is_bot OR old.is_prefetch),
    NOT (old.is_bot OR old.is_prefetch) AND NOT EXISTS (
      SELECT 1 FROM clicks c
      WHERE c.day = old.day AND c.visitor = old.visitor AND c.partner_id IS old.partner_id
        AND NOT (c.is_bot OR c.is_prefetch)
    ),
    old.is_bot OR old.is_prefetch
  )
  ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks, unique_clicks = unique_clicks + excluded.unique_clicks,
    uncounted_clicks = uncounted_clicks + excluded.uncounted_clicks;

  DELETE FROM click_event_ids
  WHERE program_id = old.program_id AND is_test = old.is_test AND event_id = old.event_id
    AND link_id = coalesce(old.link_id, 0) AND click_id = old.click_id;
END;

-- Retention processes a program's clicks once, in order of time. If a click is recorded before the position that
-- retention has reached, the position moves back to that click.
CREATE TRIGGER clicks_late AFTER INSERT ON clicks
WHEN NOT new.is_test AND new.occurred_at < new.created_at - 2592000000
BEGIN
  UPDATE program_retention SET
    late_clicks = late_clicks + 1,
    click_row = iif(new.occurred_at <= click_at, 0, click_row),
    click_at = min(click_at, new.occurred_at)
  WHERE program_id = new.program_id;
END;
