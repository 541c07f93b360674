import { expect, it } from "vitest";
import { maskedEmail } from "#http/keyed-digest.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

it("a sale sent together with the refund of another customer's sale with the same address and amount isn't flagged as its duplicate", async () => {
  const world = await createWorld(own.server.url, { policies: [{}] });
  const calls = callsOf(world, own.server.url);
  const email = maskedEmail(testSecrets.HASH_SECRET, "buyer@example.com");
  for (const key of ["c1", "c2"]) await calls.lead("key", [calls.click(world.partner, daysAgo(4))], key, { email });
  const sold = { amountCents: 1_005 };
  await calls.sale("pi_1", daysAgo(0), { ...sold, customerKey: "c1" });
  const refund = calls.refundTask("pi_1", "rest");
  const sale = calls.saleTask("in_1", daysAgo(0), { ...sold, customerKey: "c2" });
  for (const { ok } of await Promise.all([refund, sale].map((task) => calls.ledger.submit(task).outcome)))
    expect(ok).toBe(true);
  expect(await world.rows("select code from commission_signals where program_id = ?", world.programId)).toEqual([]);
  expect(await world.audit()).toEqual([]);
});
