import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

async function openShop() {
  const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  const calls = callsOf(world, own.proxy.url);
  return { world, calls, ...erasingCallsOf(world, calls) };
}

test("any number of erasures that the database refuses hold up no other", async () => {
  const { world, calls } = await openShop();
  await calls.lead("key", [calls.click(world.partner, daysAgo(1))], "zebra-1");
  const asked = JSON.stringify({ customerIds: [(await calls.customer())?.id], clickIds: [], names: ["zebra-1"] });
  const begun = (id: string) =>
    world.write(`insert into erasures (id, program_id, subject, requested_by, requested_at, asked, rows, "before")
      values ('${id}', ${world.programId}, 'customer', 'owner', 1, '${asked}', '{}', '{}')`);
  for (let i = 0; i < 10; i += 1) await begun(`a refused one ${i}`);
  await begun("the last");
  await world.write(
    "create trigger refuse_some before update on erasures when old.id like 'a refused%' begin select raise(abort, 'no'); end",
  );
  const open = async () => (await world.rows("select id from erasures where erased_at is null")).map(({ id }) => id);
  await expect
    .poll(async () => {
      await calls.maintain();
      return await open();
    })
    .not.toContain("the last");
  expect(await open()).toHaveLength(10);
});
