const ofBook = "program_id = :p and is_test = 0";
const last = (type: string) => `${ofBook} and seq = (select max(seq) from events where ${ofBook} and type = '${type}')`;
const again = (type: string) =>
  `insert into events (program_id, is_test, type, subject, after)
  select program_id, is_test, type, subject, after from events where ${last(type)}`;
const unlike = "records that differ from their last event";
const stray = "events of another program or book than their subject";
const strange = "events of a partner that the program doesn't have";
const kind = "events whose type doesn't match their subject";
const twice = "events that are in the feed twice";

/** Damage to a shop with a sign-up, a sale and a refund. In the SQL, `:p` is the shop's program. */
export const eventCases: readonly (readonly [broken: string, ...sql: string[]])[] = [
  [
    "records without an event",
    "update partners set created_at = (select max(at) from events where program_id = :p) where program_id = :p",
    `update events set at = at + 1, subject = 0 where ${last("partner.created")}`,
  ],
  [unlike, `update events set after = json_array(after ->> 0, 'person') where ${last("sale.recorded")}`],
  [kind, `update events set after = json_array(after ->> 0) where ${last("refund.recorded")}`],
  [
    unlike,
    `insert into events (program_id, is_test, type, subject, before, after)
    select program_id, 0, 'lead.moved', id, json_array(partner_id), json_array(null) from customers where program_id = :p`,
  ],
  [
    unlike,
    `insert into events (program_id, is_test, type, subject, before, after)
    select program_id, 0, 'partner.updated', id, '["active",null,0,null]', '["paused",null,0,null]'
    from partners where program_id = :p limit 1`,
  ],
  [kind, `update events set type = 'refund.updated' where ${last("refund.recorded")}`],
  [
    kind,
    `insert into events (program_id, is_test, type, subject) values (:p, 0, 'payout.confirmed', -1)`,
    `insert into events (program_id, is_test, type, subject) values (:p, 0, 'payout.finalized', -1)`,
  ],
  [strange, `update events set after = json_array(0) where ${last("lead.recorded")}`],
  [twice, again("refund.recorded")],
  [twice, again("lead.recorded")],
  [stray, `insert into events (program_id, is_test, type, subject) values (:p, 0, 'payout.confirmed', 0)`],
];
