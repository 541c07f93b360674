import { expect, it } from "vitest";
import { maskedEmail } from "#http/keyed-digest.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ledgerOn } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

const email = maskedEmail(testSecrets.HASH_SECRET, "buyer@example.com");
const sold = { amountCents: 1_005 };

it("a sale sent together with the refund of another customer's sale with the same address and amount isn't flagged as its duplicate", async () => {
  const world = await createWorld(own.server.url, { policies: [{}] });
  const calls = callsOf(world, own.server.url);
  for (const key of ["c1", "c2"]) await calls.lead("key", [calls.click(world.partner, daysAgo(4))], key, { email });
  await calls.sale("pi_1", daysAgo(0), { ...sold, customerKey: "c1" });
  const refund = calls.refundTask("pi_1", "rest");
  const sale = calls.saleTask("in_1", daysAgo(0), { ...sold, customerKey: "c2" });
  for (const { ok } of await Promise.all([refund, sale].map((task) => calls.ledger.submit(task).outcome)))
    expect(ok).toBe(true);
  expect(await world.rows("select code from commission_signals where program_id = ?", world.programId)).toEqual([]);
  expect(await world.audit()).toEqual([]);
});

it("a sale that a lead attributes isn't flagged as a duplicate of a sale whose refund is being committed", async () => {
  const world = await createWorld(own.server.url, { policies: [{}] });
  const real = databaseAt(own.server.url);
  let read: PromiseWithResolvers<void> | undefined;
  const ledger = ledgerOn(
    {
      ...real,
      read: (statements) => real.read(statements).finally(() => read?.resolve()),
      // Commits only after the reads that the next batch of calls sends during the commit.
      async write(statements) {
        await read?.promise;
        return real.write(statements);
      },
    },
    { now: () => daysAgo(0), sleep: instantSleep, random: () => 0.5 },
  );
  const calls = callsOf(world, ledger);
  await calls.lead("key", [calls.click(world.partner, daysAgo(4))], "c1", { email });
  await calls.sale("pi_1", daysAgo(0), { ...sold, customerKey: "c1" });
  await calls.sale("in_1", daysAgo(0), { ...sold, customerKey: "c2" });
  await calls.lead("key", [], "c2", { email });

  const refund = calls.refundTask("pi_1", "rest");
  const lead = calls.leadTask("key", [calls.click(world.partner, daysAgo(3))], "c2");
  const decide = refund.decide.bind(refund);
  refund.decide = (found) => {
    read = Promise.withResolvers();
    return decide(found);
  };
  for (const { ok } of await calls.together(refund, lead)) expect(ok).toBe(true);
  expect((await calls.commissions()).slice(0, 2)).toMatchObject([
    { t: "pi_1", status: "reversed" },
    { t: "in_1", status: "pending" },
  ]);
  expect(await world.rows("select code from commission_signals where program_id = ?", world.programId)).toEqual([]);
  expect(await world.audit()).toEqual([]);
});
