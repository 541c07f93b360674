import { describe, expect, test } from "vitest";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

type Fixture = Awaited<ReturnType<typeof payoutsFixture>>;

interface Page {
  readonly data: { readonly id: number; readonly transactionId: string; readonly status: string }[];
  readonly meta: { readonly nextCursor: string | null };
}
interface Totals {
  readonly data: { readonly status: string; readonly currency: string; readonly count: number; amountCents: number }[];
}

const path = ({ world }: Fixture) => `/api/programs/${world.programId}/commissions`;
const list = async (program: Fixture, query: string) => {
  const { data } = (await people.viewer.get<Page>(`${path(program)}?sort=created&order=asc&${query}`)).body;
  return data.map(({ transactionId, status }) => `${transactionId} ${status}`);
};
const totals = async (program: Fixture, query: string) => {
  const { data } = (await people.viewer.get<Totals>(`${path(program)}/totals?${query}`)).body;
  return data.map(({ status, currency, count, amountCents }) => `${status} ${count}: ${amountCents} ${currency}`);
};

/** A final payout with two commissions of Alice and one of Bob. A fourth, Alice's, was earned after its draft. */
async function finalPayout() {
  const program = await payoutsFixture(people);
  await program.earn(1_000);
  await program.earn(300);
  await program.earn(2_000, { partner: program.bob });
  const { id } = (await program.create()).body.data;
  await program.earn(5_000);
  await program.finalize(id);
  return { program, id };
}

describe("commissions filtered by payout", () => {
  test("commissions filtered by a payout are those in its active lines", async () => {
    const { program, id } = await finalPayout();
    const held = ["sale-1 approved", "sale-2 approved", "sale-3 approved"];
    expect(await list(program, `payoutId=${id}`)).toEqual(held);
    expect(await totals(program, `payoutId=${id}`)).toEqual(["approved 3: 3300 EUR"]);

    await program.confirm(id);
    expect(await list(program, `payoutId=${id}`)).toEqual(held.map((each) => each.replace("approved", "paid")));
    expect(await totals(program, `payoutId=${id}`)).toEqual(["paid 3: 3300 EUR"]);
    expect(await list(program, `payoutId=${id}&status=approved`)).toEqual([]);
    expect(await list(program, "status=approved")).toEqual(["sale-4 approved"]);
  });

  test("commissions can be filtered by a payout and by other filters together, in every sort order", {
    tags: "soak",
  }, async () => {
    const { program, id } = await finalPayout();
    const { alice, bob } = program;
    expect(await list(program, `payoutId=${id}&partnerId=${bob.id}`)).toEqual(["sale-3 approved"]);
    expect(await totals(program, `payoutId=${id}&partnerId=${alice.id}`)).toEqual(["approved 2: 1300 EUR"]);
    expect(await list(program, `payoutId=${id}&transactionId=sale-2`)).toEqual(["sale-2 approved"]);
    expect(await list(program, `payoutId=${id}&transactionId=sale-4`)).toEqual([]);
    expect(await list(program, `payoutId=${id}&currency=USD`)).toEqual([]);
    const days = "dateFrom=1970-01-01&dateTo=1970-01-02";
    expect(await list(program, `payoutId=${id}&${days}`)).toEqual([]);
    expect(await totals(program, `payoutId=${id}&${days}`)).toEqual([]);
    const sorted = async (sort: string, order = "desc") => {
      const page = await people.viewer.get<Page>(`${path(program)}?payoutId=${id}&sort=${sort}&order=${order}`);
      return page.body.data.map(({ transactionId }) => transactionId);
    };
    expect(await sorted("amount")).toEqual(["sale-3", "sale-1", "sale-2"]);
    expect(await sorted("date")).toEqual(["sale-3", "sale-2", "sale-1"]);
    const byPartner = alice.id < bob.id ? ["sale-1", "sale-2", "sale-3"] : ["sale-3", "sale-1", "sale-2"];
    expect(await sorted("partner", "asc")).toEqual(byPartner);
    expect(await sorted("partner")).toEqual(byPartner.toReversed());
  });

  test.each(["created", "date", "amount", "partner"])(
    "commissions filtered by payout are paged by %s in both directions",
    { tags: "soak" },
    async (sort) => {
      const program = await payoutsFixture(people);
      const partners = [program.alice, program.bob];
      for (let i = 0; i < 55; i += 1) await program.earn(100 + (i % 3), { partner: partners[i % 2] ?? program.bob });
      const { id } = (await program.create()).body.data;
      await program.finalize(id);
      const found: string[][] = [];
      for (const order of ["asc", "desc"]) {
        const query = `${path(program)}?payoutId=${id}&sort=${sort}&order=${order}`;
        const { data, meta } = (await people.viewer.get<Page>(query)).body;
        const next = (await people.viewer.get<Page>(`${query}&cursor=${meta.nextCursor}`)).body;
        expect([data.length, next.data.length, next.meta.nextCursor]).toEqual([50, 5, null]);
        found.push([...data, ...next.data].map(({ transactionId }) => transactionId));
      }
      expect(new Set(found[0]).size).toBe(55);
      expect(found[1]).toEqual(found[0]?.toReversed());
    },
  );

  test("commissions filtered by payout include commissions refunded after the payout was finalized, not those refunded before", async () => {
    const program = await payoutsFixture(people);
    const before = await program.earn(1_000);
    const since = await program.earn(300);
    await program.earn(2_000);
    const { id } = (await program.create()).body.data;
    const refund = (transaction_id: string, cents: number) =>
      program.refund({ transaction_id, refund_id: transaction_id, refund_amount_cents: cents });
    await refund(before.transaction_id, 5_000);
    await program.finalize(id);
    await program.confirm(id);
    await refund(since.transaction_id, 1_500);
    expect(await list(program, `payoutId=${id}`)).toEqual(["sale-2 paid", "sale-3 paid"]);
    expect(await totals(program, `payoutId=${id}`)).toEqual(["paid 2: 2000 EUR"]);
  });

  test("commissions filtered by a payout exclude those of a draft, a canceled payout, a failed line and another program", async () => {
    const { program, id } = await finalPayout();
    await program.confirm(id);
    await program.fail(id, program.alice.id);
    expect(await list(program, `payoutId=${id}`)).toEqual(["sale-3 paid"]);
    const second = (await program.create()).body.data;
    expect(await list(program, `payoutId=${second.id}`)).toEqual([]);
    await program.finalize(second.id);
    expect(await list(program, `payoutId=${second.id}`)).toHaveLength(3);
    await program.cancel(second.id);
    expect(await list(program, `payoutId=${second.id}`)).toEqual([]);
    const other = await payoutsFixture(people);
    expect(await list(other, `payoutId=${id}`)).toEqual([]);
    expect(await totals(other, `payoutId=${id}`)).toEqual([]);
  });

  test("commissions filtered by a payout never include test commissions", async () => {
    const { program, id } = await finalPayout();
    expect(await list(program, `payoutId=${id}&test=only`)).toEqual([]);
  });

  test("commissions filtered by payout can be downloaded as a file", async () => {
    const { program, id } = await finalPayout();
    const reply = await people.viewer.get(`${path(program)}?payoutId=${id}&format=csv`, { checked: false });
    expect(new Set(reply.text.match(/sale-\d/g))).toEqual(new Set(["sale-3", "sale-2", "sale-1"]));
  });

  test("the filter by payout limits the selection of a bulk decision", async () => {
    const { program, id } = await finalPayout();
    const reject = (payoutId: number, expectedCount: number) =>
      people.admin.post(`${path(program)}/reject`, { filter: { payoutId }, expectedCount, reason: "fraud" });
    expect(await reject(id, 4)).toMatchObject({ status: 409 });
    expect((await reject(id + 1_000_000, 4)).status).toBe(409);
  });

  test("a list of commissions that isn't filtered by payout can't be sorted by partner", async () => {
    const program = await payoutsFixture(people);
    const reply = await people.viewer.get(`${path(program)}?sort=partner`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["sort"]]);
  });

  test("commissions can be filtered only by a valid payout id", async () => {
    const program = await payoutsFixture(people);
    for (const to of [path(program), `${path(program)}/totals`]) {
      const reply = await people.viewer.get(`${to}?payoutId=first`);
      expect([reply.status, invalidFields(reply)]).toEqual([400, ["payoutId"]]);
    }
  });
});
