import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, signUpUsers } from "../support/users-fixture.ts";

const people = signUpUsers();

interface Outcome {
  readonly id: number;
  readonly result: string;
  readonly code?: string;
  readonly message?: string;
}
interface Decided {
  readonly data: Outcome[];
  readonly remaining: number;
}

async function open(settings: WorldSettings = {}): Promise<SalesFixture> {
  return salesFixture(programFixture(await people.world({ partners: [{}, {}], ...settings }), sharedApi()));
}

const path = ({ world }: SalesFixture) => `/api/programs/${world.programId}/commissions`;
const decide = (till: SalesFixture, verb: "approve" | "reject", body: JsonObject) =>
  people.admin.post<Decided>(`${path(till)}/${verb}`, verb === "reject" ? { reason: "self-referral", ...body } : body);
const approve = (till: SalesFixture, body: JsonObject) => decide(till, "approve", body);
const statuses = async (till: SalesFixture, ...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await till.commission(id)).status));
const audited = async ({ row, world }: SalesFixture) =>
  (await row("select count(*) as n from audit_entries where program_id = ?", world.programId)).n;
const sold = async (till: SalesFixture, count: number, body: JsonObject = {}) => {
  const replies = [];
  for (let i = 0; i < count; i += 1) replies.push((await till.sell(body)).body.commission_id);
  return replies;
};

describe("a decision on several commissions", () => {
  test("has one outcome each, and a refused one leaves the others as they are", async () => {
    const [till, other] = [await open(), await open()];
    await till.refer("c1");
    await other.refer("c1");
    const [first = 0, second = 0, refunded = 0] = await sold(till, 3);
    const { transaction_id } = await till.row(
      "select transaction_id from sales where id = (select sale_id from commissions where id = ?)",
      refunded,
    );
    await till.giveBack(String(transaction_id));
    await approve(till, { ids: [second] });
    const [theirs = 0] = await sold(other, 1);
    const [tested = 0] = await sold(till, 1, inTestMode);
    const { status, body } = await approve(till, { ids: [first, second, refunded, theirs, tested] });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        { id: first, result: "approved" },
        { id: second, result: "unchanged" },
        {
          id: refunded,
          result: "refused",
          code: "commission_closed",
          message: "A reversed commission can't be approved",
        },
        { id: theirs, result: "refused", code: "not_found", message: "Commission not found" },
        { id: tested, result: "refused", code: "not_found", message: "Commission not found" },
      ],
      remaining: 0,
    });
    expect(await statuses(till, first, second, refunded)).toEqual(["approved", "approved", "reversed"]);
    expect((await other.commission(theirs)).status).toBe("pending");
    expect(await audited(till)).toBe(2);
  });

  test("is done once, however often it is sent, with an audit entry for each", async () => {
    const till = await open();
    await till.refer("c1");
    const ids = await sold(till, 3);
    const replies = await Promise.all([1, 2, 3].map(() => decide(till, "reject", { ids })));
    const results = replies.flatMap(({ body }) => body.data.map(({ result }) => result));
    expect(results.toSorted()).toEqual([...Array(3).fill("rejected"), ...Array(6).fill("unchanged")]);
    for (const id of ids) {
      expect(await till.entries(id)).toEqual([
        ["earned", 200],
        ["rejected", -200],
      ]);
    }
    expect(await audited(till)).toBe(3);
  });

  test("confirms the customers that only a browser reported, however many they are", async () => {
    const till = await open();
    const ids: number[] = [];
    for (let i = 0; i < 27; i += 1) {
      await till.browserLead({ customer_key: `c${i}`, click_id: till.click(till.alice) });
      ids.push(...(await sold(till, i === 0 ? 2 : 1, { customer_key: `c${i}` })));
    }
    const [, sibling = 0, ...others] = ids;
    const { data } = (await approve(till, { ids: others })).body;
    expect(data.map(({ id, result }) => `${id} ${result}`)).toEqual(others.map((id) => `${id} approved`));
    const [first = 0] = ids;
    await approve(till, { ids: [first] });
    expect(await till.commission(sibling)).toMatchObject({ status: "pending", is_unconfirmed: 0 });
    expect(new Set(await statuses(till, first, ...others))).toEqual(new Set(["approved"]));
  });

  test("on a reserved commission is refused, like a single one", async () => {
    const till = await open({ policies: [{ holdDays: 0 }] });
    await till.refer("c1");
    const ids = await sold(till, 1);
    const created = await people.owner.post<{ data: { id: number } }>(`/api/programs/${till.world.programId}/payouts`, {
      currency: "EUR",
    });
    await people.owner.post(`/api/programs/${till.world.programId}/payouts/${created.body.data.id}/finalize`, {});
    expect((await decide(till, "reject", { ids })).body.data).toEqual([
      { id: ids[0], result: "refused", code: "commission_closed", message: "A reserved commission can't be rejected" },
    ]);
  });
});

describe("a decision on all that match a filter", () => {
  test("takes the pending ones alone, and only if their number is the expected one", async () => {
    const till = await open();
    await till.refer("c1");
    await till.refer("c2", { partner: till.bob });
    const alices = await sold(till, 3);
    const bobs = await sold(till, 2, { customer_key: "c2" });
    await decide(till, "reject", { ids: alices.slice(0, 1) });
    const filter = { partnerId: till.alice.id };
    const refused = await approve(till, { filter, expectedCount: 3 });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { details: { code: "count_differs", count: 2 } } },
    ]);
    const { body } = await approve(till, { filter, expectedCount: 2 });
    expect(body).toEqual({
      data: alices
        .slice(1)
        .toReversed()
        .map((id) => ({ id, result: "approved" })),
      remaining: 0,
    });
    expect(await statuses(till, ...bobs)).toEqual(["pending", "pending"]);
  });

  test("rejects approved ones too, and goes on behind those of the call before", async () => {
    const till = await open({ policies: [{ holdDays: 0 }] });
    await till.refer("c1");
    const ids = await sold(till, 4);
    const [oldest = 0, second = 0] = ids;
    const { body } = await decide(till, "reject", { filter: {}, expectedCount: 2, beforeId: ids[2] ?? 0 });
    expect(body.data).toEqual([second, oldest].map((id) => ({ id, result: "rejected" })));
    expect(await statuses(till, ...ids)).toEqual(["rejected", "rejected", "approved", "approved"]);
  });

  test("finds those that need a confirmation, as the list does", async () => {
    const till = await open();
    await till.refer("c1");
    await till.browserLead({ customer_key: "c2", click_id: till.click(till.bob) });
    await sold(till, 1);
    const [unconfirmed = 0] = await sold(till, 1, { customer_key: "c2" });
    const listed = await people.viewer.get<{ data: { id: number }[] }>(`${path(till)}?status=pending&unconfirmed=true`);
    expect(listed.body.data.map(({ id }) => id)).toEqual([unconfirmed]);
    const { body } = await approve(till, { filter: { unconfirmed: true }, expectedCount: 1 });
    expect(body.data).toEqual([{ id: unconfirmed, result: "approved" }]);
  });
});

test.each<[JsonObject, string]>([
  [{}, "ids"],
  [{ ids: [] }, "ids"],
  [{ ids: Array.from({ length: 501 }, (_, i) => i + 1) }, "ids"],
  [{ ids: [1], filter: {} }, "ids"],
  [{ filter: {} }, "ids"],
  [{ filter: { status: "owed" }, expectedCount: 1 }, "filter.status"],
  [{ filter: {}, expectedCount: 10_001 }, "expectedCount"],
])("an unclear choice is refused: %j", async (body, field) => {
  const till = await open();
  const reply = await people.admin.post(`${path(till)}/approve`, body);
  expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
});

test("viewers decide nothing", async () => {
  const till = await open();
  expect(refusalOf(await people.viewer.post(`${path(till)}/approve`, { ids: [1] }))).toMatch(/^403/);
});
