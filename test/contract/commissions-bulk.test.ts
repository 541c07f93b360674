import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { WorldSettings } from "../../harness/world.ts";
import { inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

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
const decide = (shop: SalesFixture, verb: "approve" | "reject", body: JsonObject) =>
  people.admin.post<Decided>(`${path(shop)}/${verb}`, verb === "reject" ? { reason: "self-referral", ...body } : body);
const approve = (shop: SalesFixture, body: JsonObject) => decide(shop, "approve", body);
const statuses = async (shop: SalesFixture, ...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await shop.commission(id)).status));
const audited = async ({ row, world }: SalesFixture) =>
  (await row("select count(*) as n from audit_entries where program_id = ?", world.programId)).n;
const sold = async (shop: SalesFixture, count: number, body: JsonObject = {}) => {
  const replies = [];
  for (let i = 0; i < count; i += 1) replies.push((await shop.sell(body)).body.commission_id);
  return replies;
};

describe("a decision on several commissions", () => {
  test("a decision on several commissions returns an outcome for each commission, and a refused commission doesn't affect the others", async () => {
    const [shop, other] = [await open(), await open()];
    await shop.refer("c1");
    await other.refer("c1");
    const [first = 0, second = 0, refunded = 0] = await sold(shop, 3);
    const { transaction_id } = await shop.row(
      "select transaction_id from sales where id = (select sale_id from commissions where id = ?)",
      refunded,
    );
    await shop.giveBack(String(transaction_id));
    await approve(shop, { ids: [second] });
    const [theirs = 0] = await sold(other, 1);
    const [tested = 0] = await sold(shop, 1, inTestMode);
    const { status, body } = await approve(shop, { ids: [first, second, refunded, theirs, tested] });
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
    expect(await statuses(shop, first, second, refunded)).toEqual(["approved", "approved", "reversed"]);
    expect((await other.commission(theirs)).status).toBe("pending");
    expect(await audited(shop)).toBe(2);
  });

  test("a decision on several commissions is applied once even if sent several times, with an audit entry for each commission", async () => {
    const shop = await open();
    await shop.refer("c1");
    const ids = await sold(shop, 3);
    const replies = await Promise.all([1, 2, 3].map(() => decide(shop, "reject", { ids })));
    const results = replies.flatMap(({ body }) => body.data.map(({ result }) => result));
    expect(results.toSorted()).toEqual([...Array(3).fill("rejected"), ...Array(6).fill("unchanged")]);
    for (const id of ids) {
      expect(await shop.entries(id)).toEqual([
        ["earned", 200],
        ["rejected", -200],
      ]);
    }
    expect(await audited(shop)).toBe(3);
  });

  test("a decision that approves several commissions confirms all of their customers, whom only a browser had reported", {
    tags: "soak",
  }, async () => {
    const shop = await open();
    const ids: number[] = [];
    for (let i = 0; i < 27; i += 1) {
      await shop.browserLead({ customer_key: `c${i}`, click_id: shop.click(shop.alice) });
      ids.push(...(await sold(shop, i === 0 ? 2 : 1, { customer_key: `c${i}` })));
    }
    const [, sibling = 0, ...others] = ids;
    const { data } = (await approve(shop, { ids: others })).body;
    expect(data.map(({ id, result }) => `${id} ${result}`)).toEqual(others.map((id) => `${id} approved`));
    const [first = 0] = ids;
    await approve(shop, { ids: [first] });
    expect(await shop.commission(sibling)).toMatchObject({ status: "pending", is_unconfirmed: 0 });
    expect(new Set(await statuses(shop, first, ...others))).toEqual(new Set(["approved"]));
  });

  test("a decision on several commissions refuses a commission reserved by a payout, like a decision on a single commission", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const ids = await sold(shop, 1);
    const created = await people.owner.post<{ data: { id: number } }>(`/api/programs/${shop.world.programId}/payouts`, {
      currency: "EUR",
    });
    await people.owner.post(`/api/programs/${shop.world.programId}/payouts/${created.body.data.id}/finalize`, {});
    expect((await decide(shop, "reject", { ids })).body.data).toEqual([
      { id: ids[0], result: "refused", code: "commission_closed", message: "A reserved commission can't be rejected" },
    ]);
  });
});

describe("a decision on all commissions that match a filter", () => {
  test("a decision on all commissions that match a filter approves only pending commissions, and only if their number equals expectedCount", async () => {
    const shop = await open();
    await shop.refer("c1");
    await shop.refer("c2", { partner: shop.bob });
    const alices = await sold(shop, 3);
    const bobs = await sold(shop, 2, { customer_key: "c2" });
    await decide(shop, "reject", { ids: alices.slice(0, 1) });
    const filter = { partnerId: shop.alice.id };
    const refused = await approve(shop, { filter, expectedCount: 3 });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error: { details: { code: "count_differs", count: 2 } } },
    ]);
    const { body } = await approve(shop, { filter, expectedCount: 2 });
    expect(body).toEqual({
      data: alices
        .slice(1)
        .toReversed()
        .map((id) => ({ id, result: "approved" })),
      remaining: 0,
    });
    expect(await statuses(shop, ...bobs)).toEqual(["pending", "pending"]);
  });

  test("a decision on all commissions that match a filter rejects approved commissions too, and beforeId limits it to older commissions", async () => {
    const shop = await open({ policies: [{ holdDays: 0 }] });
    await shop.refer("c1");
    const ids = await sold(shop, 4);
    const [oldest = 0, second = 0] = ids;
    const { body } = await decide(shop, "reject", { filter: {}, expectedCount: 2, beforeId: ids[2] ?? 0 });
    expect(body.data).toEqual([second, oldest].map((id) => ({ id, result: "rejected" })));
    expect(await statuses(shop, ...ids)).toEqual(["rejected", "rejected", "approved", "approved"]);
  });

  test("a decision on all commissions that match a filter selects the same unconfirmed commissions as the list with this filter", async () => {
    const shop = await open();
    await shop.refer("c1");
    await shop.browserLead({ customer_key: "c2", click_id: shop.click(shop.bob) });
    await sold(shop, 1);
    const [unconfirmed = 0] = await sold(shop, 1, { customer_key: "c2" });
    const listed = await people.viewer.get<{ data: { id: number }[] }>(`${path(shop)}?status=pending&unconfirmed=true`);
    expect(listed.body.data.map(({ id }) => id)).toEqual([unconfirmed]);
    const { body } = await approve(shop, { filter: { unconfirmed: true }, expectedCount: 1 });
    expect(body.data).toEqual([{ id: unconfirmed, result: "approved" }]);
  });

  test("a decision on all commissions that match a filter can leave out commissions that a member put on hold, or select only these", {
    tags: "finding",
  }, async () => {
    const shop = await open();
    await shop.refer("c1");
    const [held = 0, other = 0] = await sold(shop, 2);
    await people.admin.post(`${path(shop)}/${held}/hold`, { reason: "Ask the partner" });
    const ofOthers = await approve(shop, { filter: { held: false }, expectedCount: 1 });
    expect(ofOthers.body.data).toEqual([{ id: other, result: "approved" }]);
    const ofHeld = await approve(shop, { filter: { held: true }, expectedCount: 1 });
    expect(ofHeld.body.data).toEqual([{ id: held, result: "approved" }]);
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
])("a bulk decision with an ambiguous selection is refused: %j", async (body, field) => {
  const shop = await open();
  const reply = await people.admin.post(`${path(shop)}/approve`, body);
  expect([reply.status, invalidFields(reply)]).toEqual([400, [field]]);
});

test("a viewer can't decide on commissions", async () => {
  const shop = await open();
  expect(refusalOf(await people.viewer.post(`${path(shop)}/approve`, { ids: [1] }))).toMatch(/^403/);
});

describe("a commission that changes during a bulk approval by a filter", () => {
  /** Opens a shop with a commission of each of 60 customers, whom only a browser reported. */
  async function openUnconfirmed() {
    const shop = await open();
    const ids: number[] = [];
    for (let i = 0; i < 60; i += 1) {
      await shop.browserLead({ customer_key: `c${i}`, click_id: shop.click(shop.alice) });
      ids.push(...(await sold(shop, 1, { customer_key: `c${i}` })));
    }
    return { shop, ids };
  }
  type Shop = Awaited<ReturnType<typeof openUnconfirmed>>;

  interface Change {
    readonly change: () => Promise<unknown>;
    readonly hasChanged: (commission: Awaited<ReturnType<SalesFixture["commission"]>>) => boolean;
  }
  const isHeld: Change["hasChanged"] = ({ held_at }) => held_at !== null;

  /**
   * Approves the filter's commissions, and changes the oldest one meanwhile. They are decided newest first, 25 customers
   * in a step, so the oldest one is decided last.
   */
  async function approveWhile({ shop, ids }: Shop, filter: JsonObject, { change, hasChanged }: Change) {
    const approving = approve(shop, { filter, expectedCount: ids.length });
    await expect.poll(async () => (await statuses(shop, ids.at(-1) ?? 0))[0]).toBe("approved");
    await change();
    const { data } = (await approving).body;
    expect(data.slice(0, -1).every(({ result }) => result === "approved")).toBe(true);
    const commission = await shop.commission(ids[0] ?? 0);
    // If the change comes too late, the commission is approved, and stays as it was.
    const isLeftOut = hasChanged(commission);
    expect(data.at(-1)).toMatchObject(
      isLeftOut ? { result: "refused", code: "no_longer_matches" } : { result: "approved" },
    );
    expect(commission.status).toBe(isLeftOut ? "pending" : "approved");
  }

  test("a commission that is put on hold during a bulk approval of commissions without a hold isn't approved", async () => {
    const opened = await openUnconfirmed();
    const { shop, ids } = opened;
    const change = () => people.admin.post(`${path(shop)}/hold`, { ids: ids.slice(0, 1), reason: "fraud" });
    await approveWhile(opened, { held: false }, { change, hasChanged: isHeld });
  });

  test("a commission that gets a fraud signal during a bulk approval of commissions without a signal isn't approved", async () => {
    const opened = await openUnconfirmed();
    const { shop } = opened;
    const partner = `/api/programs/${shop.world.programId}/partners/${shop.alice.id}`;
    const change = () => people.admin.patch(partner, { externalId: "c0" });
    await approveWhile(opened, { flag: "none" }, { change, hasChanged: isHeld });
  });

  test("a commission that moves to another partner during a bulk approval of the first partner's commissions isn't approved", async () => {
    const opened = await openUnconfirmed();
    const { shop } = opened;
    const click_id = shop.click(shop.bob);
    const change = () => shop.lead({ customer_key: "c0", click_id });
    const hasChanged: Change["hasChanged"] = ({ partner_id }) => partner_id === shop.bob.id;
    await approveWhile(opened, { partnerId: shop.alice.id }, { change, hasChanged });
  });
});
