import { expect, test } from "vitest";
import { isolatedService } from "../support/isolated-service.ts";
import { at, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

test("a payout whose total can't be read stops no other program's approvals", async () => {
  const broken = await own.world();
  await broken.write({
    sql: `insert into payouts (id, program_id, currency, reference, status, phase, until, minimum_cents, total_cents, created_at, created_by)
      values (1, ?, 'EUR', 'r', 'draft', 'composing', 1, 1, 9007199254740993, 1, 'u')`,
    args: [broken.programId],
  });
  const world = await own.world({ partners: [{}, {}], policies: [{ holdDays: 1 }] });
  const till = salesFixture(programFixture(world, own.api()), own.database.url);
  const occurred = Date.now() - 86_400_000 + 2_000;
  await till.refer("buyer", { clickAt: occurred - 60_000 });
  const { body } = await till.sell({ transaction_id: "t", customer_key: "buyer", occurred_at: at(occurred) });
  await expect
    .poll(async () => (await till.commission(Number(body.commission_id))).status, { timeout: 15_000 })
    .toBe("approved");
});
