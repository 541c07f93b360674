import { expect, it } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

it("a browser's lead of a known customer gets the id of that customer's lead, even if other customers sent the same click", async () => {
  const world = await createWorld(own.server.url, { policies: [{}] });
  const calls = callsOf(world, own.server.url);
  const shared = [calls.click(world.partner, daysAgo(4))];
  const leadIds = [];
  for (const key of ["c1", "c2", "c3"]) leadIds.push((await calls.lead("key", shared, key)).leadId);
  expect(new Set(leadIds).size).toBe(3);
  for (const [i, key] of ["c1", "c2", "c3"].entries())
    expect(await calls.lead("browser", shared, key)).toMatchObject({ status: "attributed", leadId: leadIds[i] });
});
