import type { User } from "../../harness/session.ts";
import type { Partner, World } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo, type ProgramFixture } from "../support/program-fixture.ts";
import { taken } from "../support/taken.ts";

/** Records a sale that earns a partner one free month, and adds a bonus of one free month. */
export async function sellForUnits(owner: User, { programId }: World, sale: ProgramFixture["sale"]): Promise<void> {
  const path = `/api/programs/${programId}`;
  await taken(owner.post(`${path}/units`, { code: "MONTHS", digits: 0, one: "free month", other: "free months" }));
  const { data } = await taken(
    owner.post<{ data: { id: number } }>(`${path}/partners`, { name: "Rewarded", code: "REWARDED" }),
  );
  const policy = { type: "flat", amountCents: 1, unit: "MONTHS", scope: "lifetime", partnerId: data.id };
  await taken(owner.put(`${path}/commission-policy`, policy));
  await taken(
    owner.post(`${path}/customers/assign`, {
      customerKey: "rewarding",
      partnerId: data.id,
      reason: "told on the phone",
    }),
  );
  await sale({ customer_key: "rewarding", transaction_id: "for a month" });
  await taken(
    owner.post(`${path}/partners/${data.id}/adjustments`, {
      ...{ amountCents: 1, currency: "MONTHS", reason: "bonus", partnerNote: "Thank you", reference: "month" },
    }),
  );
}

/** Writes steps that partners reach, and records sales that the steps decide. */
export async function sellByTiers(world: World, tiered: readonly Partner[], databaseUrl: string): Promise<void> {
  const calls = callsOf(world, databaseUrl);
  const compare = async () => {
    for (let runs = 0; runs < 3; runs += 1) await calls.maintain();
  };
  await compare();
  for (const { code } of tiered) await calls.sale(`${code} second`, daysAgo(0), { customerKey: code });
  await compare();
}
