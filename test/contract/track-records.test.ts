import { expect, test } from "vitest";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Records {
  readonly data: readonly { readonly commissions: number }[];
}

async function openShop() {
  const world = await people.world({ partners: [{}, {}, {}] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("alice's");
  await shop.refer("bob's", { partner: shop.bob });
  return shop;
}

const read = (programId: number, partnerIds: string) =>
  people.viewer.get<Records>(`/api/programs/${programId}/risk/track-records?partnerIds=${partnerIds}`);

test("a partner's track record counts rejected commissions and commissions that were ever held, even if they were released", async () => {
  const { world, alice, bob, sell } = await openShop();
  const path = `/api/programs/${world.programId}/commissions`;
  const sold: number[] = [];
  for (const transaction_id of ["t1", "t2", "t3", "t4"]) {
    const { body } = await sell({ transaction_id, customer_key: "alice's", amount_cents: 1_000 + sold.length });
    sold.push(body.commission_id);
  }
  await sell({ customer_key: "bob's" });
  await sell({ customer_key: "nobody's" });
  const [first = 0, second = 0, third = 0] = sold;
  await people.admin.post(`${path}/hold`, { ids: [first, second], reason: "Odd." });
  await people.admin.post(`${path}/release`, { ids: [second] });
  await people.admin.post(`${path}/reject`, { ids: [third], reason: "Fraud." });

  const ids = [...world.partners, alice].map(({ id }) => id).join();
  const { data } = (await read(world.programId, ids)).body;
  const since = expect.stringMatching(/Z$/);
  expect(data.toSorted((a, b) => b.commissions - a.commissions)).toEqual([
    { partnerId: alice.id, commissions: 4, held: 2, rejected: 1, since },
    { partnerId: bob.id, commissions: 1, held: 0, rejected: 0, since },
  ]);
});

test("a partner's track record covers the newest fifty commissions in one program", { tags: "soak" }, async () => {
  const { world, alice, sell } = await openShop();
  const customer_key = "alice's";
  const first = await sell({ customer_key, occurred_at: at(daysAgo(0)), amount_cents: 1 });
  const reject = { ids: [first.body.commission_id], reason: "Fraud." };
  await people.admin.post(`/api/programs/${world.programId}/commissions/reject`, reject);
  await Promise.all(Array.from({ length: 50 }, (_, i) => sell({ customer_key, amount_cents: 1_000 + i })));
  expect((await read(world.programId, `${alice.id}`)).body.data).toMatchObject([{ commissions: 50, rejected: 0 }]);
  const other = await openShop();
  expect((await read(other.world.programId, `${alice.id}`)).body.data).toEqual([]);
  for (const faulty of ["", "1,", "a", Array.from({ length: 51 }, () => "1").join()]) {
    expect((await read(world.programId, faulty)).status).toBe(400);
  }
});
