import { describe, expect, it } from "vitest";
import { type CallOptions, createApi } from "../../harness/client.ts";
import { at, createProgramFixture, day, daysAgo, minute, type ProgramFixture } from "../support/program-fixture.ts";

const send = ({ api, alice, world }: ProgramFixture, occurred_at: string, options?: CallOptions) =>
  api.click({ affiliate_url: alice.landingUrl, program_id: world.programId, occurred_at }, options);

describe("a click that happened earlier", () => {
  it("a click that happened earlier is recorded at its own instant, on that day in the program's time zone, if sent with the program's key", async () => {
    const shop = await createProgramFixture({ program: { timezone: "Asia/Tokyo" } });
    const noon = Math.floor(daysAgo(9) / day) * day + day / 2;
    const instants = [noon, noon + 3 * 60 * minute];
    for (const instant of instants) {
      const local = at(instant + 2 * 60 * minute).replace("Z", "+02:00");
      expect(await send(shop, local, { key: shop.world.key })).toMatchObject({ status: 200, body: { success: true } });
    }
    const days = [at(noon), at(noon + day)].map((text) => text.slice(0, 10));
    const clicks = await shop.all("clicks");
    expect(clicks.map((row) => [row.occurred_at, row.day])).toEqual(instants.map((instant, i) => [instant, days[i]]));
    for (const row of clicks) expect(Number(row.created_at)).toBeGreaterThan(noon + 5 * day);
  });

  it("a click that happened earlier attributes events from its own instant on", async () => {
    const shop = await createProgramFixture();
    const { click_id } = (await send(shop, at(daysAgo(20)), { key: shop.world.key })).body;
    const [before, after] = [at(daysAgo(20, -6 * minute)), at(daysAgo(20, minute))];
    const earlier = await shop.lead({ click_id, customer_key: "u", occurred_at: before });
    expect(earlier).toMatchObject({ attributed: false });
    expect(await shop.lead({ click_id, customer_key: "v", occurred_at: after })).toMatchObject({ attributed: true });
  });

  it.each([
    ["is accepted up to 30 days ago", -30 * day + minute, 200],
    ["is refused if it is more than 30 days ago", -30 * day - 1_000, "occurred_at is more than 30 days ago"],
    ["is accepted up to 5 minutes ahead", 4 * minute, 200],
    ["is refused if it is more than 5 minutes ahead", 6 * minute, "occurred_at is in the future"],
  ])("a click sent with occurred_at %s", async (_, offset, expected) => {
    const shop = await createProgramFixture();
    const { status, body } = await send(shop, at(Date.now() + offset), { key: shop.world.key });
    expect(status === 200 ? status : body.error.message).toBe(expected);
    const clicks = await shop.all("clicks");
    expect(clicks).toHaveLength(status === 200 ? 1 : 0);
    for (const row of clicks) expect(Number(row.occurred_at)).toBeLessThanOrEqual(Number(row.created_at));
  });

  it.each<[string, (key: string, otherKey: string) => CallOptions, number, string]>([
    ["no key", () => ({}), 400, "occurred_at needs a program API key"],
    ["a malformed key", () => ({ key: "nonsense" }), 401, "Invalid API token"],
    ["a key never issued", (key) => ({ key: `${key.slice(0, -9)}AAAAAAAAA` }), 401, "Invalid API token"],
    ["another program's key", (_, key) => ({ key }), 401, "Invalid API token"],
  ])("a click with occurred_at is refused with %s, and nothing is recorded", async (_, optionsOf, status, message) => {
    const [shop, other] = [await createProgramFixture(), await createProgramFixture()];
    const reply = await send(shop, at(daysAgo(1)), optionsOf(shop.world.key, other.world.key));
    expect(reply).toMatchObject({ status, body: { data: null, error: { message } } });
    expect([...(await shop.all("clicks")), ...(await other.all("clicks"))]).toEqual([]);
  });
});

it("a click without occurred_at ignores the Authorization header", async () => {
  const { alice, world, all, api } = await createProgramFixture({ keys: [{ retiresAt: Date.now() - day }] });
  for (const key of [world.key, "nonsense", "svc_1_short"]) {
    const body = { affiliate_url: alice.landingUrl, program_id: world.programId, occurred_at: null };
    const reply = await createApi(api.url).click(body, { key });
    expect(reply).toMatchObject({ status: 200, body: { success: true } });
    expect(reply.body).not.toHaveProperty("warnings");
  }
  expect(await all("clicks")).toHaveLength(3);
});
