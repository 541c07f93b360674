import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { customersShop, told } from "../support/customers-shop.ts";
import { explained } from "../support/explain.ts";
import { createSalesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const finding = { tags: ["finding"] };

/** Includes Unicode white space, and the line ends of cells copied from spreadsheets. */
const padded = (id: string): string => ` \u00a0${id}\t\u2003\r\n`;

test("ids in a body are stored without outer white space", finding, async () => {
  const shop = await createSalesFixture();
  await shop.refer(padded("user-2"));
  const body = { transaction_id: padded("t"), subscription_id: padded("sub") };
  expect((await shop.sell({ ...body, customer_key: "user-2" })).body.attributed).toBe(true);
  const again = await shop.sell({ transaction_id: "t", subscription_id: "sub", customer_key: padded("user-2") });
  expect([again.status, again.body.error.details]).toMatchObject([409, { same_request: true }]);
  expect((await shop.sell({ subscription_id: "sub", customer_key: padded("other") })).body.attributed).toBe(true);
  const refund = { refund_amount_cents: 100, refund_id: padded("r") };
  expect((await shop.giveBack(padded("t"), refund)).body).toMatchObject({ refund_id: "r", refunded_total_cents: 100 });
  expect((await shop.giveBack("t", { ...refund, refund_id: "r" })).body.status).toBe("skipped");
  expect((await shop.all("customers")).map(({ customer_key }) => customer_key)).toEqual(["user-2"]);
});

test("click ids and email addresses are used without outer white space", finding, async () => {
  const shop = await createSalesFixture({ members: people.members() });
  const click_id = padded(shop.click(shop.alice));
  expect((await shop.lead({ customer_key: "u1", click_id })).attributed).toBe(true);
  expect((await shop.sell({ customer_key: "u2", click_id })).body.attributed).toBe(true);
  expect((await shop.sell({ customer_key: "u3", click_ids: [click_id] })).body.attributed).toBe(true);
  const path = `/api/programs/${shop.world.programId}/partners/${shop.alice.id}`;
  const { body } = await people.admin.patch<{ data: JsonObject }>(path, { email: padded("ada@example.com") });
  expect(body.data.email).toBe("ada@example.com");
});

test("inner white space and case of ids are significant", finding, async () => {
  const shop = await createSalesFixture();
  await shop.refer("user 2");
  const attributed = async (customer_key: string) => (await shop.sell({ customer_key })).body.attributed;
  expect(await Promise.all(["user 2 ", "user  2", "User 2", "user2"].map(attributed))).toEqual([
    ...[true, false, false, false],
  ]);
});

test("ids in a query are looked up without outer white space", finding, async () => {
  const shop = await createSalesFixture();
  await shop.refer("user-2");
  await shop.sell({ transaction_id: "t", customer_key: "user-2" });
  expect(await explained(shop, { transaction_id: padded("t") })).toMatchObject({ subject: { type: "sale" } });
  expect(await explained(shop, { customer_key: padded("user-2") })).toMatchObject({
    customer: { customer_key: "user-2" },
  });
});

test("an external id with outer white space identifies the same partner", finding, async () => {
  const world = await people.world();
  const at = "/api/v1/programs/me/partners";
  const create = (external_id: string) =>
    sharedApi().request<{ data: JsonObject }>("POST", at, {
      body: { name: "Anna", code: "anna", external_id },
      key: world.key,
    });
  const first = await create(padded("u-7"));
  expect([first.status, first.body.data.external_id]).toEqual([201, "u-7"]);
  expect((await create("u-7")).status).toBe(200);
});

test("an id with only white space counts as missing", finding, async () => {
  const shop = await createSalesFixture();
  const { status, body } = await shop.sell({ transaction_id: padded("") });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining("transaction_id must be a string of 1")]);
});

test(
  "imported ids are stored without outer white space, and a placeholder such as undefined is refused with the name of its column",
  finding,
  async () => {
    const { run, ...shop } = await customersShop(people);
    const rows = [
      { customer_key: padded("cus_9"), subscription_id: padded("sub_9") },
      { customer_key: "undefined" },
      { customer_key: "cus_8", subscription_id: "null" },
    ];
    const results = ["created", "refused placeholder_id customer_key", "refused placeholder_id subscription_id"];
    expect(told(await run(rows, { dryRun: true }))).toEqual(results);
    expect(told(await run(rows))).toEqual(results);
    expect(told(await run([{ customer_key: "cus_9", subscription_id: "sub_9" }]))).toEqual(["unchanged"]);
    const [partnersOnly, balances] = [{ kind: "partners" }, { kind: "balances" }];
    const named = (code: string, external_id?: string) => ({ name: "Zoe", code, ...(external_id && { external_id }) });
    expect(told(await run([named("undefined"), named("zoe", "None"), named("zoe", "u-1")], partnersOnly))).toEqual([
      ...["refused placeholder_id code", "refused placeholder_id external_id", "created"],
    ]);
    const balance = { currency: "EUR", amount: "1.00", reference: "NaN" };
    expect(told(await run([balance], balances))).toEqual(["refused placeholder_id reference"]);
    await shop.world.write({
      sql: "update customers set customer_key = 'undefined' where customer_key = 'cus_9' and program_id = ?",
      args: [shop.world.programId],
    });
    expect(told(await run([{ customer_key: "undefined", subscription_id: "sub_9" }]))).toEqual(["unchanged"]);
    expect((await shop.sale({ transaction_id: "t", amount_cents: 100, subscription_id: "sub_9" })).attributed).toBe(
      true,
    );
  },
);
