import { expect, test } from "vitest";
import { supersedeWriters } from "#store/fenced-row.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";

const own = isolatedService();

test("after a restore the feed leaps once, and readers notice", async () => {
  const world = await own.world({ partners: [{}, {}] });
  const shop = salesFixture(programFixture(world, own.api()));
  const read = async (query: string) => {
    const { status, body } = await own
      .api()
      .request<{ events: { seq: number; type: string; data: { object: object } }[]; newest_seq: number }>(
        "GET",
        `/api/v1/programs/me/events${query}`,
        { key: world.key },
      );
    return { status, ...body };
  };
  await shop.sell({ transaction_id: "t1", customer_key: "nobody" });
  const { newest_seq: last } = await read("");
  // What was written after the backup is gone.
  await shop.sell({ transaction_id: "t2", customer_key: "nobody" });
  const { newest_seq: lost } = await read("");
  await world.write("delete from events where seq > ?".replace("?", String(last)));
  await supersedeWriters(databaseAt(own.database.url));
  expect(await read(`?after=${lost}`)).toMatchObject({
    status: 409,
    error: { details: { code: "feed_restarted", newest_seq: last } },
  });

  for (const transaction_id of ["t3", "t4"]) await shop.sell({ transaction_id, customer_key: "nobody" });
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
