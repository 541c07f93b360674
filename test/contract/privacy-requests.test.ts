import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { openDashboard } from "../support/dashboard.ts";
import { manyClicks, showManyClicks } from "../support/large-customer.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile("stranger");

/** A customer whose rows exceed one response. */
async function openWithLargeCustomer() {
  const shop = await openDashboard(staff, { policies: [{}] });
  const { world, alice } = shop;
  const key = `zebra${world.programId}`;
  await shop.lead({ customer_key: key, click_id: shop.click(alice) });
  await shop.sale({ customer_key: key, transaction_id: "t1" });
  await showManyClicks(shop);
  const path = `/api/programs/${world.programId}/privacy`;
  const post = async (to: string, body: JsonObject) => {
    const {
      status,
      body: reply,
      text,
    } = await staff.owner.post<{ data: { requestId: string } }>(`${path}/${to}`, body);
    expect(status, text).toBe(202);
    return reply.data.requestId;
  };
  const get = (requestId: string, user = staff.owner) =>
    user.get<{ data: JsonObject; error?: { details: JsonObject } }>(`${path}/requests/${requestId}`);
  return { ...shop, key, post, get, path };
}

test("an export of personal data that exceeds one response becomes a request, whose file only its author can download", async () => {
  const { world, key, post, get } = await openWithLargeCustomer();
  const requestId = await post("export", { customerKey: key });
  for (const _ of [1, 2]) {
    const { status, text, headers } = await get(requestId);
    expect(status, text.slice(0, 200)).toBe(200);
    expect(headers.get("content-disposition")).toMatch(/^attachment; filename="tributary-.*-customer\.jsonl"$/);
    const rows = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly of: string; readonly clickId?: string })
      // A call is listed some seconds after its response.
      .filter(({ of }) => of !== "requests");
    const shown = rows.filter(({ of }) => of === "customerClicks").map(({ clickId }) => clickId);
    expect([shown.length, new Set(shown).size]).toEqual([manyClicks + 1, manyClicks + 1]);
    expect(rows.filter(({ of }) => of !== "customerClicks").map(({ of }) => of)).toEqual([
      ...["customers", "leads", "sales", "commissions"],
    ]);
  }
  expect((await get(requestId, staff.admin)).status).toBe(403);
  const own = `/api/programs/${world.programId}/privacy/requests/${requestId}`;
  const fromElsewhere = await staff.owner.get(own, { headers: { "sec-fetch-site": "cross-site" } });
  expect(fromElsewhere).toMatchObject({ status: 403, body: { error: { details: { code: "cross_site" } } } });
  expect((await get(`${requestId.slice(0, -2)}AA`)).status).toBe(404);
  const elsewhere = await openDashboard(staff);
  const other = `/api/programs/${elsewhere.world.programId}/privacy/requests/${requestId}`;
  expect((await staff.owner.get(other)).status).toBe(404);
  const trail = await world.rows(
    "select action from audit_entries where program_id = ? and subject = 'privacy'",
    world.programId,
  );
  expect(trail).toEqual([{ action: "person.exported" }]);
});

test("the request for an erasure of many rows shows when the erasure is done, and the id of its receipt", async () => {
  const { key, post, get, path } = await openWithLargeCustomer();
  const exporting = await post("export", { customerKey: key });
  const erasing = await post("erase", { customerKey: key, confirm: true });
  await expect.poll(async () => (await get(erasing)).body.data.state, { interval: 100 }).toBe("done");
  const { receiptId, rows } = (await get(erasing)).body.data;
  expect(rows).toMatchObject({ customers: 1, sales: 1, customerClicks: manyClicks + 1 });
  const receipt = await staff.owner.get<{ data: JsonObject }>(`${path}/receipts/${receiptId}`);
  expect(receipt.body.data).toMatchObject({ id: receiptId, rows });
  const gone = await get(exporting);
  expect([gone.status, gone.body.error?.details]).toEqual([404, { code: "person_not_found", receiptId }]);
});
