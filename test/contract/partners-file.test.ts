import { expect, test } from "vitest";
import { parseCsv } from "../support/parse-csv.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("partners can be downloaded as one CSV file in the list's order, with email addresses only for owners and admins", async () => {
  const world = await people.world({
    partners: [{ name: "=Anna" }, { name: "Ben" }],
    policies: [{ holdDays: 0 }],
  });
  const shop = salesFixture(programFixture(world, sharedApi()));
  const ofBen = `/api/programs/${world.programId}/partners/${shop.bob.id}`;
  expect((await people.admin.patch(ofBen, { email: "ben@people.example" })).status).toBe(200);
  await shop.refer("c1");
  await shop.refer("c2", { partner: shop.bob });
  await shop.sell({ amount_cents: 12_345 });
  await shop.sell({ amount_cents: 99_999, customer_key: "c2" });
  const path = `/api/tracking/performance/${world.programId}/partners?format=csv&period=all`;
  const read = async (user: typeof people.admin) => {
    const { headers, text } = await user.get(path, { checked: false });
    expect(headers.get("Content-Disposition")).toBe(
      'attachment; filename="tributary-test-program-partners-all-time-eur.csv"',
    );
    const [head = [], ...lines] = parseCsv(text);
    return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
  };
  const [ben, anna] = await read(people.admin);
  expect(ben).toMatchObject({ partner_code: shop.bob.code, email: "ben@people.example", to_pay: "200.00" });
  expect(anna).toEqual({
    ...{ partner_id: String(shop.alice.id), partner_code: shop.alice.code, partner: "'=Anna", email: "" },
    ...{ status: "active", link: `https://shop.example/?aff=${shop.alice.code}` },
    ...{ clicks: expect.any(String), sign_ups: "1", sales: "1", refunds: "0" },
    ...{ revenue: "123.45", refunded: "0.00", commission: "24.69", to_pay: "24.69", currency: "EUR" },
  });
  expect((await read(people.viewer)).every((row) => !("email" in row))).toBe(true);
});
