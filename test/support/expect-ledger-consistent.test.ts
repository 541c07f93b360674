import { expect, test } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { expectAllConsistent } from "./expect-ledger-consistent.ts";
import { programFixture } from "./program-fixture.ts";
import { salesFixture } from "./sales-fixture.ts";
import { sharedApi, sharedService } from "./shared-service.ts";

async function sold() {
  const world = await createWorld(sharedService.databaseUrl, { partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("c1");
  await shop.sell();
  return shop;
}

test("an audit of several tests' programs reports which test broke its program, and fails if it misses a break that a test declared", {
  tags: "soak",
}, async () => {
  const [good, bad] = [await sold(), await sold()];
  const audit = () =>
    expectAllConsistent(good.world.databases.url, [
      { world: good.world, test: "the good one" },
      { world: bad.world, test: "the bad one" },
    ]);
  await audit();
  await bad.write("update sales set refunded_cents = 1 where program_id = ?", bad.world.programId);
  await expect(audit()).rejects.toThrow('what the audit finds after "the bad one"');
  const found = (await bad.world.audit()).map(({ broken }) => broken);
  for (const broken of found) bad.world.forged.add(broken);
  await audit();
  for (const broken of found) good.world.forged.add(broken);
  await expect(audit()).rejects.toThrow();
});
