-- Rejects a change of partner, because the coupon has already attributed sales to its current partner.
CREATE TRIGGER coupons_partner_stays BEFORE UPDATE OF program_id, partner_id ON coupons
WHEN new.program_id <> old.program_id OR new.partner_id <> old.partner_id
BEGIN
  SELECT raise(ABORT, 'a coupon keeps its partner');
END;
