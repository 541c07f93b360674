-- If a mail is withdrawn, marks its statement as not mailed, so that it can be mailed to another address.
CREATE TRIGGER mails_withdrawn BEFORE DELETE ON mails
WHEN old.due_at IS NOT NULL AND old.payout_line_id IS NOT NULL AND old.template <> 'line_failed'
BEGIN
  UPDATE payout_lines SET statement_mailed_at = NULL WHERE id = old.payout_line_id;
END;
