import { afterAll, beforeAll, expect, test } from "vitest";
import { readFeed } from "#store/reports/feed.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** Line items of nearly 64 KiB as stored, and of twice that size in a response. */
const items = Array.from({ length: 100 }, (_, i) => {
  const id = `${String(i).padStart(3, "0")}${'"'.repeat(150)}`;
  return { itemId: id, productId: id, amountCents: 10, quantity: 1 };
});

test("pages of large events end early, and together contain all events", { tags: "soak" }, async () => {
  const world = await createWorld(database.url, { partners: [{}, {}] });
  await callsOf(world, database.url).sale("t1", daysAgo(0));
  const [stored] = await world.rows("select id from sales where program_id = ?", world.programId);
  await world.write({
    sql: "update sales set items = ? where id = ?",
    args: [JSON.stringify(items), Number(stored?.id)],
  });
  await world.write(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
    insert into events (program_id, is_test, type, subject, after)
    select ${world.programId}, 0, iif(i % 3 = 0, 'partner.applied', 'sale.recorded'), ${stored?.id}, null from n`);
  const book = { programId: world.programId, isTest: false };
  const types = ["sale.recorded"];
  const pages: number[][] = [];
  for (let after = 0, newest = 1; after < newest; ) {
    const page = await readFeed(databaseAt(database.url), book, { after, limit: 500, types });
    pages.push(page.events.map(({ seq }) => seq));
    [after, newest] = [page.nextAfter, page.newestSeq];
  }
  const sales = "select seq from events where program_id = ? and type = 'sale.recorded' order by seq";
  expect(pages.flat()).toEqual((await world.rows(sales, world.programId)).map(({ seq }) => Number(seq)));
  expect(pages.length).toBeGreaterThan(1);
});
