import { expect, test } from "vitest";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { oneOfEach } from "../support/breadth.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { eventCases } from "./event-cases.ts";

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

test("the audit finds nothing in an unchanged history", async () => {
  const { audit } = await openShop();
  expect(await audit()).toEqual([]);
});

test("the audit finds each event about a change that the database doesn't contain", async () => {
  for (const [broken, ...statements] of oneOfEach(eventCases, ([broken]) => broken)) {
    const { world, audit } = await openShop();
    for (const sql of statements) await world.write(sql.replaceAll(":p", String(world.programId)));
    expect(await audit(), statements.join("; ")).toContain(broken);
  }
});

test("the audit accepts a record without an event if the event has just expired, even if clocks differ by 5 seconds", async () => {
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
