-- Also by a coupon, an import or a person.
CREATE TRIGGER customers_moved AFTER UPDATE OF partner_id ON customers
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (new.program_id, new.is_test, 'lead.moved', new.id, json_array(old.partner_id), json_array(new.partner_id));
END;
