import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { openDashboard } from "../support/dashboard.ts";
import { askExplain, explained } from "../support/explain.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const staff = usersOfFile();

interface Erased {
  readonly data: {
    readonly receiptId: string;
    readonly erasedAt: string | null;
    readonly rows: Readonly<Record<string, number>>;
  };
  readonly error?: {
    readonly message: string;
    readonly details: { readonly code?: string; readonly receiptId?: string };
  };
}

/** A customer with data in every table that can contain personal data. */
async function openWithCustomer() {
  const shop = await openDashboard(staff, { policies: [{}] });
  const { world, alice } = shop;
  const zebra = `zebra${world.programId}`;
  const key = `${zebra}-key`;
  const email = `${zebra}@mail.example`;
  const path = `/api/programs/${world.programId}`;
  const send = async (to: string, body: JsonObject, user = staff.owner) => {
    const reply = await user.post(`${path}/${to}`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply;
  };
  const { click_id } = await shop.visit(
    {
      ...{
        page_url: `https://shop.example/${zebra}?aff=x`,
        page_title: `${zebra} page`,
        referrer_url: `https://${zebra}.example/`,
      },
      ...{
        language: "de-AT",
        additional_data: { event_name: `${zebra} came` },
        event_id: `${zebra}-event`,
        affiliate_url: `https://shop.example/?aff=${alice.code}&aff_sub=${zebra}-sub`,
      },
    },
    { key: world.key },
  );
  await shop.lead({
    customer_key: key,
    email,
    click_id,
    additional_data: { event_name: `${zebra} signed up` },
    page_url: `https://x.example/${zebra}`,
  });
  const first = {
    ...{
      transaction_id: `${key}-first`,
      amount_cents: 4_900,
      customer_key: key,
      click_id,
      occurred_at: at(daysAgo(0)),
    },
    ...{ line_items: [{ name: `${zebra} hat` }], event_name: `${zebra} bought`, coupon_codes: [`${zebra}10`] },
    ...{ sale_type: "subscription", subscription_id: "sub_1" },
  };
  const sold = await shop.sale(first);
  const second = { transaction_id: "t2", amount_cents: 1_900, customer_key: key };
  await shop.sale(second);
  await shop.refund({ transaction_id: "t2", refund_id: `${key}-refund`, refund_reason: `${zebra} was unhappy` });
  await send(`commissions/${sold.commission_id}/hold`, { reason: `${zebra} looks odd` }, staff.admin);
  const erase = (body: JsonObject = {}, user = staff.owner) =>
    user.post<Erased>(`${path}/privacy/erase`, { customerKey: key, confirm: true, ...body });
  const stored = () => rowsNaming(world, zebra, String(click_id));
  const sums = async () => {
    const balances = await world.rows(
      "select * from partner_balances where program_id = ? order by partner_id",
      world.programId,
    );
    const counts = await world.rows(
      "select * from daily_counts where program_id = ? order by day, partner_id",
      world.programId,
    );
    return { balances, counts };
  };
  const existing = async (clickId: unknown) => {
    const rows = await world.rows("select existing_click_id as id from clicks where click_id = ?", String(clickId));
    return rows.map(({ id }) => id);
  };
  return { ...shop, existing, zebra, key, email, path, click_id, first, second, sold, erase, stored, sums, alice };
}

describe("erasing a customer", () => {
  test("erasing a customer removes all of their data, and keeps every sum", async () => {
    const shop = await openWithCustomer();
    const before = await shop.sums();
    const told = (await shop.stored()).join();
    const texts = ["page", "came", "signed up", "hat", "bought", "was unhappy", "looks odd"].map((text) => ` ${text}`);
    for (const text of [...texts, ".example", "-event", "-sub", "-key", "-key-refund", "10"])
      expect(told.toLowerCase()).toContain(`${shop.zebra}${text}`);
    const { status, body, text } = await shop.erase();
    expect(status, text).toBe(200);
    expect(body.data.rows).toMatchObject({ customers: 1, sales: 2, commissions: 2, leads: 1, clicks: 1, refunds: 1 });
    expect(await shop.stored()).toEqual([]);
    expect(await shop.sums()).toEqual(before);
    const receipt = await staff.owner.get<{ data: JsonObject }>(`${shop.path}/privacy/receipts/${body.data.receiptId}`);
    expect(receipt.body.data.after).toEqual(receipt.body.data.before);
    expect(await shop.world.audit()).toEqual([]);
  });

  test("erasing a customer again returns 404 with the id of the first erasure's receipt", async () => {
    const { erase, path, email } = await openWithCustomer();
    const { receiptId } = (await erase()).body.data;
    for (const body of [{}, { customerKey: undefined, email }]) {
      const again = await erase(body);
      expect([again.status, again.body.error?.details]).toEqual([404, { code: "person_not_found", receiptId }]);
    }
    const nobody = await erase({ customerKey: "nobody" });
    expect([nobody.status, nobody.body.error?.details]).toEqual([404, { code: "person_not_found" }]);
    expect((await staff.admin.post(`${path}/privacy/erase`, { customerKey: "a", confirm: true })).status).toBe(403);
    expect((await erase({ confirm: false })).status).toBe(400);
    expect((await erase({ email })).status).toBe(400);
  });

  test("erasing a customer by email address or click id leaves none of the customer's data", async () => {
    for (const by of ["email", "clickId"] as const) {
      const shop = await openWithCustomer();
      const value = by === "email" ? shop.email.toUpperCase() : String(shop.click_id);
      expect((await shop.erase({ customerKey: undefined, [by]: value })).status).toBe(200);
      expect(await shop.stored()).toEqual([]);
    }
  });

  test("erasing a customer doesn't change the responses to repeated calls", async () => {
    const shop = await openWithCustomer();
    const before = await shop.sums();
    await shop.erase();
    const again = await shop.api.sale(shop.first, { key: shop.world.key });
    expect([again.status, again.body.error.details]).toMatchObject([409, { same_request: true }]);
    const other = await shop.api.sale({ ...shop.first, amount_cents: 5_000 }, { key: shop.world.key });
    expect(other.body.error.details).toMatchObject({ same_request: false, differences: ["amount_cents"] });
    const refund = await shop.refund({
      transaction_id: "t2",
      refund_id: `${shop.key}-refund`,
      refund_reason: "unhappy",
    });
    expect(refund).toMatchObject({ status: "skipped" });
    expect(await shop.sums()).toEqual(before);
    expect(await shop.stored()).toEqual([]);
  });

  test("a renewal after an erasure is attributed to the erased customer, without storing the key again", async () => {
    const shop = await openWithCustomer();
    await shop.erase();
    const renewal = {
      transaction_id: `${shop.key}-renewal`,
      amount_cents: 4_900,
      customer_key: shop.key,
      subscription_id: "sub_1",
    };
    const sold = await shop.sale({ ...renewal, sale_type: "subscription", is_recurring: true });
    expect(sold).toMatchObject({ partner_code: shop.alice.code, commission: { amount_cents: 980 } });
    expect(await shop.stored()).toEqual([]);
    const again = await shop.api.sale(
      { ...renewal, sale_type: "subscription", is_recurring: true },
      { key: shop.world.key },
    );
    expect([again.status, again.body.error.details]).toMatchObject([409, { same_request: true }]);
    const refunded = await shop.refund({ transaction_id: renewal.transaction_id });
    expect(refunded).toMatchObject({ commission_amount_cents: 0 });
    const fresh = await shop.sale({ transaction_id: "fresh", amount_cents: 1_000, customer_key: shop.key });
    expect(fresh).toMatchObject({ attributed: false });
  });

  test("erasing a customer makes the key and click unknown in explanations, and marks the sale as erased", async () => {
    const shop = await openWithCustomer();
    expect(await explained(shop, { transaction_id: "t2" })).toMatchObject({ erased: false });
    await shop.erase();
    const asked = (query: Parameters<typeof askExplain>[1]) => askExplain(shop.api, query, { key: shop.world.key });
    expect((await asked({ customer_key: shop.key })).status).toBe(404);
    expect((await asked({ click_id: String(shop.click_id) })).status).toBe(404);
    expect(await explained(shop, { transaction_id: "t2" })).toMatchObject({ erased: true });
  });

  test("the explanation of an erased customer's sale or refund is found by the original ids, and shows the receipt of the erasure", async () => {
    const shop = await openWithCustomer();
    expect(await explained(shop, { transaction_id: "t2" })).toMatchObject({ erasure: null });
    const { receiptId, erasedAt } = (await shop.erase()).body.data;
    const erasure = { receipt_id: receiptId, erased_at: erasedAt };
    const first = { transaction_id: `${shop.key}-first` };
    expect(await explained(shop, first)).toMatchObject({ erased: true, erasure, events: expect.anything() });
    const refund = { transaction_id: "t2", refund_id: `${shop.key}-refund` };
    expect(await explained(shop, refund)).toMatchObject({ subject: { type: "refund" }, erasure });
    const unknown = await askExplain(shop.api, { transaction_id: `${shop.key}-other` }, { key: shop.world.key });
    expect(unknown.status).toBe(404);
    const search = await staff.owner.get<{ data: { query: object }[] }>(
      `/api/tracking/search/${shop.world.programId}?q=${shop.key}-first`,
    );
    expect(search.body.data).toMatchObject([{ query: { transactionId: `${shop.key}-first` } }]);
  });

  test("erasing a customer pseudonymizes a click id in later clicks that have it as the previous click", async () => {
    const shop = await openWithCustomer();
    const later = await shop.visit({ existing_click_id: shop.click_id }, { key: shop.world.key });
    const other = await shop.visit({ existing_click_id: later.click_id }, { key: shop.world.key });
    const [before] = await shop.existing(later.click_id);
    expect(before).toBe(shop.click_id);
    await shop.erase();
    const [after] = await shop.existing(later.click_id);
    expect(after).toMatch(/^A/);
    expect(after).not.toBe(shop.click_id);
    expect(await shop.existing(other.click_id)).toEqual([later.click_id]);
    expect(await shop.stored()).toEqual([]);
  });
});

test("the data of a customer can be exported", async () => {
  const shop = await openWithCustomer();
  const { status, text } = await staff.owner.post(`${shop.path}/privacy/export`, { email: shop.email });
  expect(status, text).toBe(200);
  const rows = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly of: string })
    // A call is listed some seconds after its response.
    .filter(({ of }) => of !== "requests");
  expect([...new Set(rows.map(({ of }) => of))].sort()).toEqual(
    [
      "clicks",
      "commissionSignals",
      "commissions",
      "customerClicks",
      "customers",
      "leads",
      "notes",
      "refunds",
      "sales",
    ].sort(),
  );
  const { key, zebra } = shop;
  for (const part of [key, `${zebra} page`, `${zebra} hat`, `${zebra}10`, `${zebra} looks odd`])
    expect(text).toContain(part);
  const trail = await shop.world.rows(
    "select action from audit_entries where program_id = ? and subject = 'privacy'",
    shop.world.programId,
  );
  expect(trail).toEqual([{ action: "person.exported" }]);
});
