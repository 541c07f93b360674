import { expect, test } from "vitest";
import { at, daysAgo, programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Nearby {
  readonly transactionId: string;
  readonly amountApartCents: number | null;
  readonly partner: { readonly name: string; readonly isThis: boolean } | null;
  readonly reason: { readonly code: string; readonly message: string } | null;
}

test("a member finds a sale by day and amount, with its attribution and the reason why it earned nothing", async () => {
  const world = await people.world({ partners: [{ name: "Anna" }, { name: "Bob" }] });
  const shop = salesFixture(programFixture(world, sharedApi()));
  await shop.refer("annas", { clickAt: daysAgo(9) });
  const occurred_at = at(daysAgo(3));
  const sell = (transaction_id: string, amount_cents: number, more = {}) =>
    shop.sale({ customer_key: transaction_id, transaction_id, amount_cents, currency: "EUR", occurred_at, ...more });
  await sell("own", 4_900, { customer_key: "annas" });
  await sell("nobody's", 5_000);
  await sell("expired", 5_100, { click_id: shop.click(shop.bob, daysAgo(300)) });
  await sell("other-currency", 5_000, { currency: "USD" });
  await sell("too-early", 5_000, { occurred_at: at(daysAgo(8)) });
  await sell("mistaken", 4_000);
  const [mistaken] = await world.rows(
    "select id from sales where transaction_id = 'mistaken' and program_id = ?",
    world.programId,
  );
  const correction = { amountCents: 6_000, reason: "Mistaken" };
  await people.admin.post(`/api/programs/${world.programId}/sales/${mistaken?.id}/correct`, correction);

  const [day = ""] = occurred_at.split("T");
  const ask = async (query: string, id = world.partner.id) =>
    await people.viewer.get<{ data: Nearby[] }>(
      `/api/programs/${world.programId}/partners/${id}/missing-sale?${query}`,
    );
  const { data } = (await ask(`day=${day}&amountCents=5000&currency=EUR`)).body;
  expect(data.map((sale) => [sale.transactionId, sale.amountApartCents])).toEqual([
    ["nobody's", 0],
    ["own", 100],
    ["expired", 100],
    ["mistaken~1", 1_000],
    ["other-currency", 0],
  ]);
  const [nobodys, own, expired] = data;
  expect(own).toMatchObject({ partner: { isThis: true }, reason: null });
  expect(nobodys).toMatchObject({
    partner: null,
    reason: { code: "customer_not_found", message: expect.stringMatching(/\.$/) },
  });
  expect(expired?.reason).toMatchObject({
    code: "attribution_window_expired",
    message: expect.stringMatching(/attribution window was/),
  });
  expect((await ask(`day=${day}`, world.partners[1]?.id)).body.data.every(({ partner }) => !partner?.isThis)).toBe(
    true,
  );
  expect((await ask("day=yesterday")).status).toBe(400);
  expect((await ask(`day=${day}`, 1)).status).toBe(404);
});
