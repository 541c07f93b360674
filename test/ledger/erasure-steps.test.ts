import { expect, test } from "vitest";
import { mapConcurrent } from "../../dashboard/src/api/map-concurrent.ts";
import { createWorld } from "../../harness/world.ts";
import { erasingCallsOf } from "../support/erasing-calls.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { rowsNaming } from "../support/rows-naming.ts";

const own = isolatedDatabase();

const now = daysAgo(0);

async function openShop() {
  const world = await createWorld(own.server.url, { partners: [{}, {}], policies: [{ scope: "lifetime" }] });
  const calls = callsOf(world, own.proxy.url);
  const zebra = `zebra-${world.programId}`;
  const sell = async (count: number, more: object = {}) => {
    const sales = Array.from({ length: count }, (_, i) =>
      calls.saleTask(`many ${i}`, now - day + i, { customerKey: zebra, eventName: `${zebra} bought`, ...more }),
    );
    const sold = await mapConcurrent(sales, 170, (task) => calls.ledger.submit(task).outcome);
    expect(sold.every(({ ok }) => ok)).toBe(true);
  };
  return { world, calls, zebra, sell, ...erasingCallsOf(world, calls) };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function finish({ calls, opened }: Pick<Shop, "calls" | "opened">) {
  await expect
    .poll(async () => {
      await calls.maintain();
      return (await opened())?.asked;
    })
    .toBeNull();
}

/** Shows this many clicks of the customer. Each also has a row in `clicks`. */
async function showClicks({ world, calls }: Pick<Shop, "world" | "calls">, count: number) {
  const { programId, partner } = world;
  const customer = await calls.customer();
  const ids = JSON.stringify(Array.from({ length: count }, () => calls.click(partner, now - 3 * day).clickId));
  await world.write(`insert into customer_clicks
    (customer_id, click_id, link_id, click_at, evidence, is_nameless, has_settled_in_browser, shown_at)
    select ${customer?.id}, value, ${partner.linkId}, ${now - 3 * day}, 'key', 0, 0, ${now} from json_each('${ids}')`);
  await world.write(`insert into clicks
    (id, program_id, is_test, click_id, link_id, partner_id, source, is_bot, is_prefetch, page_url, occurred_at, created_at, day)
    select ${10 ** 9} + key, ${programId}, 0, value, ${partner.linkId}, ${partner.id}, 'browser', 0, 0, 'https://shop.example/',
      ${now - 3 * day}, ${now - 3 * day}, '2026-11-24' from json_each('${ids}')`);
}

test("the many clicks of an erased customer are erased in steps of a hundred", async () => {
  const shop = await openShop();
  const { world, calls, zebra, erase, stepTask } = shop;
  await calls.lead("key", [calls.click(world.partner, now - 3 * day)], zebra);
  await showClicks(shop, 550);
  await erase(zebra);
  const raw = async () =>
    (await world.rows("select id from clicks where program_id = ? and page_url is not null", world.programId)).length;
  expect([await raw(), await world.rows("select id from customers where not is_erased")]).toEqual([550, []]);
  await calls.ledger.submit(await stepTask()).outcome;
  expect(await raw()).toBeGreaterThanOrEqual(450);
  await finish(shop);
  expect(await raw()).toBe(0);
  const named =
    "select k.click_id from customer_clicks k left join clicks c on c.click_id = k.click_id where c.id is null";
  expect(await world.rows(named)).toHaveLength(1);
  const [receipt] = await world.rows("select rows from erasures where program_id = ?", world.programId);
  expect(JSON.parse(String(receipt?.rows))).toMatchObject({ clicks: 550, customerClicks: 551, customers: 1 });
});

test("a sale that waits while an erasure's last step is decided is stored under the pseudonym", async () => {
  const shop = await openShop();
  const { world, calls, zebra, sell, erase, stepTask } = shop;
  await sell(510);
  await erase(zebra);
  const left = async () =>
    (await world.rows("select id from sales where program_id = ? and not is_erased", world.programId)).length;
  while ((await left()) > 0) await calls.ledger.submit(await stepTask()).outcome;
  const ofOne = { subscriptionId: "sub_1", saleType: "subscription" } as const;
  await calls.together(
    calls.saleTask("a1", now, { ...ofOne, customerKey: "lion-1" }),
    calls.saleTask("a2", now, { ...ofOne, customerKey: "lion-2" }),
    calls.saleTask("a3", now, { ...ofOne, customerKey: zebra }),
    await stepTask(),
  );
  await finish(shop);
  const ofErased = await world.rows(
    `select s.sent_customer_key from sales s join customers c on c.id = s.customer_id
     where c.program_id = ? and c.is_erased and s.sent_customer_key not like 'erased_%'`,
    world.programId,
  );
  expect(ofErased).toEqual([]);
  await expectLedgerConsistent(world);
});

test("a call between two steps of an erasure doesn't find the erased customer, by key or by click", async () => {
  const shop = await openShop();
  const { world, calls, zebra, sell, erase } = shop;
  const [alice, bob] = world.partners;
  if (alice === undefined || bob === undefined) throw new Error("the program has two partners");
  const [ofBob, ofAlice] = [calls.click(bob, now - 30 * day), calls.click(alice, now - 25 * day)];
  await calls.lead("browser", [ofBob], zebra);
  await sell(510);
  const erased = await calls.customer();
  await erase(zebra);
  await calls.lead("key", [ofAlice], zebra);
  await calls.lead("key", [ofBob], "lion-1");
  await finish(shop);
  expect(
    await world.rows("select id from sales where program_id = ? and partner_id <> ?", world.programId, bob.id),
  ).toEqual([]);
  const of = "select explanation from commissions where program_id = ? and instr(explanation, ?)";
  expect(await world.rows(of, world.programId, ofAlice.clickId)).toEqual([]);
  expect(await world.rows(of, world.programId, ofBob.clickId)).toEqual([]);
  const [after] = await world.rows("select customer_key from customers where id = ?", Number(erased?.id));
  expect(after?.customer_key).toMatch(/^erased_/);
  await expectLedgerConsistent(world);
});

test("a browser's lead that attributed no customer is erased with its click", async () => {
  const { world, calls, zebra, erase } = await openShop();
  const expired = calls.click(world.partner, now - 200 * day);
  await calls.lead("browser", [expired], null, { pageUrl: `https://x/${zebra}`, eventName: `${zebra} came` });
  await calls.lead("key", [expired], zebra);
  await erase(zebra);
  expect(await rowsNaming(world, zebra, expired.clickId)).toEqual([]);
  await expectLedgerConsistent(world);
});

test("erasures that the database rejects don't delay other erasures", async () => {
  const { world, calls } = await openShop();
  await calls.lead("key", [calls.click(world.partner, daysAgo(1))], "zebra-1");
  const asked = JSON.stringify({
    customerIds: [(await calls.customer())?.id],
    erasedIds: [],
    pseudonyms: [],
    clickIds: [],
    names: ["zebra-1"],
  });
  const begun = (id: string) =>
    world.write(`insert into erasures (id, program_id, subject, requested_by, requested_at, asked, rows, "before")
      values ('${id}', ${world.programId}, 'customer', 'owner', 1, '${asked}', '{}', '{}')`);
  for (let i = 0; i < 10; i += 1) await begun(`a refused one ${i}`);
  await begun("the last");
  await world.write(
    "create trigger refuse_some before update on erasures when old.id like 'a refused%' begin select raise(abort, 'no'); end",
  );
  const open = async () => (await world.rows("select id from erasures where erased_at is null")).map(({ id }) => id);
  await expect
    .poll(async () => {
      await calls.maintain();
      return await open();
    })
    .not.toContain("the last");
  expect(await open()).toHaveLength(10);
});
