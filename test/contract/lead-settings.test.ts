import { expect, it, onTestFinished } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, type ProgramFixture, programFixture } from "../support/program-fixture.ts";

const own = isolatedService();

async function openShop(program: WorldSettings["program"] = {}): Promise<ProgramFixture> {
  const world = await own.world({ program, partners: [{}, {}] });
  onTestFinished(() => expectLedgerConsistent(world));
  return programFixture(world, own.api());
}

const set = ({ world }: ProgramFixture, assignment: string) =>
  world.change({ sql: `update programs set ${assignment} where id = ?`, args: [world.programId] });

/** Changes the program's terms directly in the database, without the audit entry of a member's change. */
const setTerms = (shop: ProgramFixture, assignment: string) => {
  shop.world.forged.add("sales and leads that were decided by terms that their program never had");
  return set(shop, assignment);
};

it("a lead is decided by the settings in force when it is sent", async () => {
  const shop = await openShop();
  const { lead, click, alice, bob } = shop;
  const clicks = { click_ids: [click(alice, daysAgo(40)), click(bob, daysAgo(20))] };
  const whose = async (customer_key: string) => {
    const { partner_code, reason } = await lead({ ...clicks, customer_key });
    return partner_code ?? reason;
  };
  expect(await whose("u")).toBe(bob.code);
  await setTerms(shop, "attribution_model = 'first_click'");
  expect(await whose("v")).toBe(alice.code);
  await setTerms(shop, "attribution_window_days = 30");
  expect(await whose("w")).toBe(bob.code);
  await setTerms(shop, "attribution_window_days = 10");
  expect(await whose("x")).toBe("attribution_window_expired");
});

it("a sale is decided by the settings stored with its lead: a shorter window set later doesn't apply", async () => {
  const shop = await openShop();
  const { lead, sale, click, alice, all } = shop;
  await lead({ click_id: click(alice, daysAgo(40)), customer_key: "u", occurred_at: at(daysAgo(39)) });
  await setTerms(shop, "attribution_window_days = 10, attribution_model = 'first_click', window_until = 'first_sale'");
  expect(await sale({ customer_key: "u" })).toMatchObject({ attributed: true, partner_code: alice.code });
  const [commission] = await all("commissions");
  const frozen = { model: "last_click", windowDays: 60, windowUntil: "lead" };
  expect(JSON.parse(String(commission?.explanation))).toMatchObject(frozen);
});

it("a sale is decided by the settings stored with its lead: a later change of windowUntil doesn't apply", async () => {
  const shop = await openShop({ windowUntil: "first_sale" });
  const { lead, sale, click, alice } = shop;
  await lead({ click_id: click(alice, daysAgo(80)), customer_key: "u", occurred_at: at(daysAgo(79)) });
  await setTerms(shop, "window_until = 'lead'");
  const expired = { attributed: false, reason: "attribution_window_expired", click_age_days: 80, window_days: 60 };
  expect(await sale({ customer_key: "u" })).toMatchObject(expired);
  await lead({ click_id: click(alice, daysAgo(80)), customer_key: "v", occurred_at: at(daysAgo(79)) });
  expect(await sale({ customer_key: "v" })).toMatchObject({ attributed: true });
});

it("a sale is decided by the settings stored with its lead: a longer window set later doesn't apply", async () => {
  const shop = await openShop({ attributionWindowDays: 10, windowUntil: "first_sale" });
  const { lead, sale, click, alice } = shop;
  await lead({ click_id: click(alice, daysAgo(40)), customer_key: "u", occurred_at: at(daysAgo(39)) });
  await setTerms(shop, "attribution_window_days = 60");
  const expired = { attributed: false, reason: "attribution_window_expired", click_age_days: 40, window_days: 10 };
  expect(await sale({ customer_key: "u" })).toMatchObject(expired);
});

it("browsers' leads sent while the program accepted leads only from a server stay without effect after the program allows leads from browsers", async () => {
  const shop = await openShop({ leadAuth: "server_required" });
  const { browserLead, sale, click, alice, bob, countedLeads } = shop;
  for (const customer_key of ["u", "v"]) await browserLead({ click_id: click(alice), customer_key });
  await set(shop, "lead_auth = 'browser_allowed'");
  expect(await sale({ customer_key: "u" })).toMatchObject({ reason: "customer_not_found" });
  expect(await browserLead({ click_id: click(bob), customer_key: "v" })).toMatchObject({ partner_code: bob.code });
  expect([await countedLeads(alice), await countedLeads(bob)]).toEqual([0, 1]);
});
