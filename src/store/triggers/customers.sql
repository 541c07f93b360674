-- Reports every change of a customer's partner, including changes by a coupon, an import or a member.
CREATE TRIGGER customers_moved AFTER UPDATE OF partner_id ON customers
WHEN old.partner_id IS NOT new.partner_id
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (new.program_id, new.is_test, 'lead.moved', new.id, json_array(old.partner_id), json_array(new.partner_id));
END;

-- Reports the partner of a customer whom an import or a member created. Other new customers are reported with their
-- lead or sale.
CREATE TRIGGER customers_assigned AFTER INSERT ON customers
WHEN new.source IN ('import', 'person')
BEGIN
  INSERT INTO events (program_id, is_test, type, subject, before, after)
  VALUES (new.program_id, new.is_test, 'lead.moved', new.id, json_array(NULL), json_array(new.partner_id));
END;
