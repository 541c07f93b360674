import { randomBytes } from "node:crypto";
import type { User } from "../../harness/session.ts";
import type { Partner, World } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import type { ChangeCall } from "../support/own-ledger.ts";
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

/** Creates three bonuses that a partner has reached in a past month, awards one, ends another, and dismisses the third. */
export async function awardBonus(world: World, partner: Partner, databaseUrl: string): Promise<void> {
  const { programId } = world;
  const { ledger, maintain } = callsOf(world, databaseUrl);
  const now = daysAgo(0);
  const period = new Date(daysAgo(40)).toISOString().slice(0, 7);
  const change = async (call: object): Promise<unknown> => {
    const by = { operationId: randomBytes(8).toString("hex"), at: now, actorId: "someone", programId };
    const outcome = await ledger.submit(ledger.changeTask({ ...by, ...call } as ChangeCall, now)).outcome;
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
    return outcome.answer;
  };
  const create = async (metric: string, threshold: number) => {
    const terms = { metric, period: "month", threshold, amountCents: 2_500, currency: "EUR" };
    return (await change({ kind: "create-bonus", terms, from: period })) as { readonly bonusId: number };
  };
  const first = await create("sales", 1);
  const second = await create("revenue", 100);
  await change({ kind: "end-bonus", ...second });
  const third = await create("revenue", 200);
  await change({ kind: "end-bonus", ...third });
  await change({ kind: "dismiss-bonus", ...third });
  for (let runs = 0; runs < 4; runs += 1) await maintain();
  const awarded = await change({ kind: "award-bonuses", period, rows: [{ ...first, partnerId: partner.id }] });
  if (JSON.stringify(awarded).includes("refused")) throw new Error(JSON.stringify(awarded));
}
