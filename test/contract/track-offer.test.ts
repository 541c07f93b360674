import { expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import type { Partner } from "../../harness/world.ts";
import { at, clickOf, daysAgo, programFixture } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const ask = (clickId: string) =>
  sharedApi().request("GET", `/api/v1/track/offer?${new URLSearchParams({ click_id: clickId })}`);

async function opened() {
  const world = await people.world({ partners: [{ group: 0 }, {}], groups: [{ name: "Gold" }] });
  const shop = programFixture(world, sharedApi());
  const path = `/api/programs/${world.programId}`;
  const set = (offer: Json, of = "") => people.admin.put(`${path}${of}/offer`, { offer });
  await set({ label: "20% off", details: "First year", couponIds: { stripe: "FRIEND20" } });
  const shown = async (partner: Partner, clickAt = daysAgo(1), isTest = false) => {
    const { status, text, body } = await ask(shop.click(partner, clickAt, isTest));
    expect(status, text).toBe(200);
    return (body as unknown as { offer: { label: string } | null }).offer;
  };
  return { world, shop, path, set, shown, group: `/groups/${world.groups[0]?.id}` };
}

test("any site can read the offer of a click's partner without a key, and gets no coupon ids", async () => {
  const { shop, shown, set, group } = await opened();
  const url = `${sharedService.url}/api/v1/track/offer?click_id=${shop.click(shop.bob)}`;
  const answer = await fetch(url, { headers: { origin: "https://shop.example" } });
  expect(await answer.json()).toEqual({ offer: { label: "20% off", details: "First year" } });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("ratelimit-policy")).toBe('"offer";q=300;w=60');
  await set({ label: "30% off", couponIds: {} }, group);
  expect(await shown(shop.alice)).toEqual({ label: "30% off", details: null });
  await set({ none: true }, group);
  expect(await shown(shop.alice)).toBeNull();
  expect(await shown(shop.bob)).not.toBeNull();
});

test("no offer is returned for a test, old, forged or erased click, or after the offer's end", async () => {
  const { world, shop, shown, set, path } = await opened();
  const { bob } = shop;
  expect(await shown(bob, daysAgo(1), true)).toBeNull();
  expect(await shown(bob, daysAgo(61))).toBeNull();
  expect(await shown(bob, daysAgo(59))).not.toBeNull();
  const others = [clickOf(world.programId + 1, bob, daysAgo(1)), clickOf(world.programId, { linkId: 1 }, daysAgo(1))];
  for (const clickId of [...others, "forged", "x".repeat(300)]) {
    expect(await ask(clickId), clickId).toMatchObject({ status: 200, body: { offer: null } });
  }
  const clickId = shop.click(bob);
  await shop.lead({ customer_key: "u1", click_id: clickId });
  expect((await ask(clickId)).body).toMatchObject({ offer: { label: "20% off" } });
  await people.owner.post(`${path}/privacy/erase`, { customerKey: "u1", confirm: true });
  expect((await ask(clickId)).body).toEqual({ offer: null });
  await set({ label: "20% off", couponIds: {}, until: at(daysAgo(1)) });
  expect(await shown(bob)).toBeNull();
  const missing = await sharedApi().request("GET", "/api/v1/track/offer");
  expect([missing.status, missing.body.error.message]).toEqual([400, "click_id is required"]);
});

test("no offer is returned while the link, the partner or the program is paused", async () => {
  const { shop, shown, path } = await opened();
  const { alice, bob } = shop;
  const switched = async (change: (status: string) => Promise<unknown>, partner: Partner) => {
    await change("paused");
    expect(await shown(partner)).toBeNull();
    await change("active");
    expect(await shown(partner)).not.toBeNull();
  };
  await switched((status) => people.admin.patch(`${path}/partners/${alice.id}`, { status }), alice);
  await switched((status) => people.admin.patch(`${path}/links/${bob.code}`, { status }), bob);
  await switched((status) => people.owner.patch(path, { status }), bob);
  await people.owner.patch(path, { status: "archived" });
  expect(await shown(bob)).toBeNull();
});

test("the offer endpoint refuses other methods and answers preflights from other origins, like the click endpoint", async () => {
  const url = `${sharedService.url}/api/v1/track/offer`;
  const posted = await fetch(url, { method: "POST" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const headers = { origin: "https://shop.example", "access-control-request-method": "GET" };
  const preflight = await fetch(url, { method: "OPTIONS", headers });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});
