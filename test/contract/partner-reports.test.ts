import { expect, test } from "vitest";
import { inSnakeCase } from "#http/schema/camel-keys.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Page {
  readonly data: readonly unknown[];
  readonly meta: { readonly next_cursor: string | null };
}

/** A shop with readers for Alice's reports: as the partner herself, and with a program key. */
async function open() {
  const shop = await payoutsFixture(people);
  const { world, alice } = shop;
  const side = await partnerSide(world, people.stranger, alice.id);
  const seen = async (report: string, query = "") => (await people.stranger.get(`${side}/${report}${query}`)).body;
  const read = (report: string, query = "", partnerId: number | string = alice.id, key = world.key) =>
    shop.api.request<Page>("GET", `/api/v1/programs/me/partners/${partnerId}/${report}${query}`, { key });
  return { ...shop, seen, read };
}

test("an API key reads the same overview, commissions and statement as the partner", async () => {
  const { read, seen, earn, giveBack, adjust, create, confirm, bob } = await open();
  const { transaction_id } = await earn(980);
  await earn(300);
  await earn(7_000, { partner: bob });
  await confirm((await create()).body.data.id);
  await giveBack(transaction_id);
  await adjust(70);
  for (const [report, query] of [
    ["overview"],
    ["statement"],
    ["statement", "?from=2020-01-01&currency=EUR"],
  ] as const) {
    const { status, body, text } = await read(report, query);
    expect(status, text).toBe(200);
    expect(body).toEqual(inSnakeCase(await seen(report, query)));
  }
  const { body, text } = await read("commissions");
  const { data } = await seen("commissions");
  expect(body).toEqual({ data: inSnakeCase(data), meta: { next_cursor: null } });
  expect(text).toContain('"kind":"refunded"');
  expect(text).not.toContain(transaction_id);
});

test("an API key can page and filter a partner's commissions", async () => {
  const { read, shop, count } = await manyCommissions();
  const first = (await read("commissions")).body;
  const rest = (await read("commissions", `?cursor=${first.meta.next_cursor}`)).body;
  expect([first.data.length, rest.data.length, rest.meta.next_cursor]).toEqual([50, count - 50, null]);
  expect((await read("commissions", "?status=rejected")).body.data).toEqual([]);
  expect((await read("commissions", "?date_from=2026-01-02&date_to=2026-01-01")).status).toBe(400);
  expect((await read("overview", "?date_from=2026-01-02")).text).toContain(
    "date_from and date_to must be sent together",
  );
  expect((await read("commissions", `?cursor=${first.meta.next_cursor}`, shop.bob.id)).status).toBe(400);
});

async function manyCommissions() {
  const { read, ...shop } = await open();
  const count = 53;
  await shop.refer("c1");
  await Promise.all(Array.from({ length: count }, () => shop.sell()));
  return { read, shop, count };
}

test("an API key can't read another program's partner, and an invalid key is refused", async () => {
  const { read, world } = await open();
  const other = await open();
  for (const report of ["overview", "commissions", "statement"]) {
    for (const partnerId of [other.alice.id, 0, "x"]) expect((await read(report, "", partnerId)).status).toBe(404);
    expect((await read(report, "", undefined, `${world.key}x`)).status).toBe(401);
  }
});
