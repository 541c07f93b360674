import { expect, test } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { oneOfEach } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

async function openShop() {
  const world = await own.world({ partners: [{}, {}], policies: [{ rateBps: 2_000 }] });
  const shop = salesFixture(programFixture(world, own.api()));
  await shop.refer("c1");
  await shop.sell({ transaction_id: "t1" });
  await shop.giveBack("t1", { refund_id: "r1", refund_amount_cents: 100 });
  const audit = async () => {
    const { programId } = world;
    const found = await withClient({ url: own.database.url }, (client) => auditLedger(client, { programId }));
    return found.map(({ broken }) => broken);
  };
  return { world, audit };
}

const ofBook = "program_id = :p and is_test = 0";
const last = (type: string) => `${ofBook} and seq = (select max(seq) from events where ${ofBook} and type = '${type}')`;
const again = (type: string) =>
  `insert into events (program_id, is_test, type, subject, after)
  select program_id, is_test, type, subject, after from events where ${last(type)}`;
const unlike = "records that are not what their last event says";
const stray = "events that are not of the book of what they tell of";
const strange = "events of a partner that the program doesn't have";
const twice = "events that are told twice";

const spoilt: readonly (readonly [broken: string, ...sql: string[]])[] = [
  [
    "records without an event",
    "update partners set created_at = (select max(at) from events where program_id = :p) where program_id = :p",
    `update events set at = at + 1, subject = 0 where ${last("partner.created")}`,
  ],
  [unlike, `update events set after = json_array(after ->> 0, 'person') where ${last("sale.recorded")}`],
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
  [strange, `update events set after = json_array(0) where ${last("lead.recorded")}`],
  [twice, again("refund.recorded")],
  [twice, again("lead.recorded")],
  [stray, `insert into events (program_id, is_test, type, subject) values (:p, 0, 'payout.confirmed', 0)`],
];

test("an untouched history is found right", async () => {
  const { audit } = await openShop();
  expect(await audit()).toEqual([]);
});

test("each event that tells what didn't happen is found", async () => {
  for (const [broken, ...statements] of oneOfEach(spoilt, ([broken]) => broken)) {
    const { world, audit } = await openShop();
    for (const sql of statements) await world.write(sql.replaceAll(":p", String(world.programId)));
    expect(await audit(), statements.join("; ")).toContain(broken);
  }
});

test("a record whose event is just forgotten is none without an event, though the clocks differ", async () => {
  const { world, audit } = await openShop();
  const [event] = await world.rows(
    "select seq, at from events where program_id = ? and type = 'sale.recorded'",
    world.programId,
  );
  await world.write({
    sql: "update sales set created_at = ? where program_id = ?",
    args: [Number(event?.at) + 5_000, world.programId],
  });
  await world.write({
    sql: "delete from events where program_id = ? and seq <= ?",
    args: [world.programId, Number(event?.seq)],
  });
  expect(await audit()).not.toContain("records without an event");
});
