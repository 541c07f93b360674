import { expect, test } from "vitest";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly data: { readonly object: object };
}

async function openShop() {
  const world = await own.world({ partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, own.api()));
  const read = async (query = "") => {
    const path = `/api/v1/programs/me/events${query}`;
    const { status, body } = await own
      .api()
      .request<{ events: Event[]; newest_seq: number }>("GET", path, { key: world.key });
    return { status, ...body };
  };
  /** Records a sale, and returns the newest sequence number of the feed. */
  const sell = async (transaction_id: string) => {
    await shop.sell({ transaction_id, customer_key: "nobody" });
    return (await read()).newest_seq;
  };
  const restore = async (last: number) => {
    await world.write({ sql: "delete from events where program_id = ? and seq > ?", args: [world.programId, last] });
    await supersedeWriters(databaseAt(own.database.url));
  };
  return { world, shop, read, sell, restore };
}

test("after a restore, the event feed skips sequence numbers once, and readers receive feed.restarted", async () => {
  const { read, sell, restore } = await openShop();
  const last = await sell("t1");
  // The restore loses the events written after the backup.
  const lost = await sell("t2");
  await restore(last);
  expect(await read(`?after=${lost}`)).toMatchObject({
    status: 409,
    error: { details: { code: "feed_restarted", newest_seq: last } },
  });

  for (const transactionId of ["t3", "t4"]) await sell(transactionId);
  for (const after of [last, lost]) {
    const { events } = await read(`?after=${after}`);
    const [leap, ...others] = events;
    expect(leap).toMatchObject({ type: "feed.restarted", data: { object: { from: last, to: leap?.seq } } });
    expect(leap?.seq).toBeGreaterThan(last + 1_000_000_000);
    expect(others.map(({ seq, type }) => [seq - (leap?.seq ?? 0), type])).toEqual([
      [1, "sale.recorded"],
      [2, "sale.recorded"],
    ]);
  }
});

test("after a restore, the event feed skips sequence numbers even if the service's clock was ahead of the database's", {
  tags: "soak",
}, async () => {
  const { world, read, sell, restore } = await openShop();
  const last = await sell("t1");
  await world.write({ sql: "update events set at = at + 600000 where program_id = ?", args: [world.programId] });
  await sell("t2");
  await restore(last);
  await sell("t3");
  expect((await read(`?after=${last}`)).events[0]?.type).toBe("feed.restarted");
});

test("a reader of the event feed who has read up to the skipped numbers continues, even if all earlier events were deleted", async () => {
  const { world, read, sell, restore } = await openShop();
  const last = await sell("t1");
  await restore(last);
  await sell("t2");
  await world.write({
    sql: "delete from events where program_id = ? and seq <= ?",
    args: [world.programId, last],
  });
  expect((await read(`?after=${last}`)).events.map(({ type }) => type)).toEqual(["feed.restarted", "sale.recorded"]);
  expect((await read(`?after=${last - 1}`)).status).toBe(400);
});

test("a commit doesn't change an event that an earlier writer wrote in a batch with the same number", async () => {
  const { world, shop, read } = await openShop();
  await shop.refer("c1");
  await shop.sell({ transaction_id: "t1" });
  const { newest_seq } = await read();
  const created = "select subject, at, batch from events where program_id = ? and type = 'commission.created'";
  const [event] = await world.rows(created, world.programId);
  // The Ledger restarts: its batches are numbered from 1 again, and its clock is a second behind.
  await world.write("update ledger_writers set epoch = epoch + 1, seq = 0");
  for (let seq = 1; seq <= Number(event?.batch); seq += 1) {
    await world.write({ sql: "update ledger_writers set seq = ?, at = ?", args: [seq, Number(event?.at) - 1_000] });
  }
  await world.write({
    sql: "update commissions set hold_until = hold_until + 1 where id = ?",
    args: [Number(event?.subject)],
  });
  const { events } = await read(`?after=${newest_seq}`);
  expect(events.map(({ type }) => type)).toEqual(["commission.updated"]);
});
