import { describe, expect, it } from "vitest";
import { Explanation } from "#api/explain/reply.ts";
import { type CamelKeys, camelSchema } from "#http/schema/camel-keys.ts";
import { explained, messageOf, queryText } from "../support/explain.ts";
import { daysAgo, inTestMode, programFixture } from "../support/program-fixture.ts";
import { type SalesFixture, salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("suspended", "stranger");

const open = async (): Promise<SalesFixture> =>
  salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
const path = ({ world }: SalesFixture, query: Parameters<typeof queryText>[0]) =>
  `/api/tracking/explain/${world.programId}?${queryText(query)}`;

type ExplanationBody = CamelKeys<Explanation>;

const camelKeys = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), function (this: unknown, _, member: unknown) {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const renamed = Object.entries(member).map(([name, each]) => [
      name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      each,
    ]);
    return Object.fromEntries(renamed);
  });

describe("an explanation that a member requests", () => {
  it("an explanation that a member requests equals the response to a program key, in camelCase, also for viewers", async () => {
    const shop = await open();
    const { click_id } = await shop.visit();
    const { lead_id } = await shop.lead({ customer_key: "c1", click_id });
    const { body: sale } = await shop.sell({ transaction_id: "t" });
    await shop.giveBack("t", { refund_id: "r", refund_amount_cents: 100 });
    for (const [camel, snake] of [
      [{ transactionId: "t" }, { transaction_id: "t" }],
      [
        { transactionId: "t", refundId: "r" },
        { transaction_id: "t", refund_id: "r" },
      ],
      [{ commissionId: sale.commission_id }, { commission_id: sale.commission_id }],
      [{ saleId: sale.sale_id }, { sale_id: sale.sale_id }],
      [{ leadId: lead_id }, { lead_id }],
      [{ clickId: click_id }, { click_id }],
      [{ customerKey: "c1" }, { customer_key: "c1" }],
    ] as const) {
      const { status, text, body } = await people.viewer.get(path(shop, camel));
      expect(status, text).toBe(200);
      expect(body).toEqual(camelKeys(await explained(shop, snake)));
      expect(camelSchema(Explanation).safeParse(body).success).toBe(true);
    }
  });

  it("an explanation that a member requests uses the program's time zone, and suggests remedies in terms of the dashboard", async () => {
    const { world, ...shop } = await open();
    await people.admin.patch(`/api/programs/${world.programId}`, { timezone: "Pacific/Kiritimati" });
    await shop.refer("c", { clickAt: daysAgo(40) });
    const occurred_at = new Date(Date.now() - 30 * 86_400_000).toISOString().replace(/T.*/, "T23:30:00Z");
    await world.write({
      sql: "update commission_policies set hold_days = 90 where program_id = ?",
      args: [world.programId],
    });
    await shop.sell({ transaction_id: "evening", customer_key: "c", occurred_at });
    const { body } = await people.viewer.get<ExplanationBody>(path({ world, ...shop }, { transactionId: "evening" }));
    const day = new Date(Date.parse(occurred_at) + 90 * 86_400_000 + 14 * 3_600_000);
    const text = day.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    expect(body.verdict.message).toContain(`it can be paid out from ${text}.`);

    await shop.sell({ transaction_id: "organic", customer_key: "nobody" });
    const organic = await people.viewer.get<ExplanationBody>(path({ world, ...shop }, { transactionId: "organic" }));
    expect(organic.body.missing.map(({ remedy }) => remedy)).toEqual([expect.stringContaining("your developer")]);
    expect((await explained({ world, ...shop }, { transaction_id: "organic" })).missing[0]?.remedy).toContain(
      "customer_key",
    );
  });

  it("an explanation that a member requests reads the test book on request", async () => {
    const shop = await open();
    await shop.sell({ transaction_id: "t", ...inTestMode });
    expect(messageOf(await people.viewer.get(path(shop, { transactionId: "t" })))).toBe(
      "404 No sale has this transactionId. A test sale has this transactionId.",
    );
    expect((await people.viewer.get(path(shop, { transactionId: "t", testMode: true }))).status).toBe(200);
  });

  it("an explanation that a member requests requires exactly one id", async () => {
    const shop = await open();
    const message = "400 Send exactly one of clickId, leadId, saleId, commissionId, transactionId and customerKey";
    expect(messageOf(await people.viewer.get(path(shop, {})))).toBe(message);
    expect(messageOf(await people.viewer.get(path(shop, { saleId: 1, leadId: 1 })))).toBe(message);
  });

  it("an explanation in the dashboard is available only to members of the program's workspace, never to a key", async () => {
    const shop = await open();
    await shop.sell({ transaction_id: "t" });
    const asked = path(shop, { transactionId: "t" });
    expect((await people.stranger.get(asked)).status).toBe(403);
    expect((await people.suspended.get(asked)).status).toBe(403);
    expect((await shop.api.request("GET", asked, { key: shop.world.key })).status).toBe(401);
    const other = await open();
    expect((await people.viewer.get(path(other, { transactionId: "t" }))).status).toBe(404);
  });
});
