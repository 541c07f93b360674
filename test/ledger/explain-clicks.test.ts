import { expect, it } from "vitest";
import { type ExplainRequest, readExplainFacts } from "#store/reports/explain.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

it("an explanation reads roughly one page of the customer's clicks, however many the customer has", async () => {
  const world = await createWorld(own.server.url, { partners: [{}] });
  const { lead, sale, click } = callsOf(world, own.server.url);
  const first = click(world.partner, daysAgo(9));
  await lead("key", [first]);
  await sale("t1", daysAgo(2));
  /** Every tenth click isn't reported by a key. */
  const fill = (from: number, to: number) =>
    world.write({
      sql: `insert into customer_clicks
          (customer_id, click_id, link_id, click_at, evidence, is_nameless, has_settled_in_browser, shown_at)
        with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
        select c.customer_id, 'copy' || i, c.link_id, c.click_at - i, iif(i % 10, 'key', 'moved'), 0, 0, c.shown_at - i
        from n, customer_clicks c where c.click_id = ?`,
      args: [first.clickId],
    });
  const explain = async (after?: ExplainRequest["after"]) => {
    own.proxy.resetCounts();
    const asked = { programId: world.programId, isTest: false, refundId: undefined, after };
    const found = await readExplainFacts(databaseAt(own.proxy.url), { ...asked, by: "transaction", key: "t1" });
    if (!found.found) throw new Error("nothing found");
    return { ...found, rows: own.proxy.counts.rows };
  };
  await fill(1, 2_000);
  const few = await explain();
  await fill(2_001, 20_000);
  const many = await explain();
  const next = await explain(many.next);
  expect(Math.max(many.rows, next.rows)).toBeLessThan(few.rows + 50);
  expect(many.facts.earlierClicks).toBe(1_000);
  const ids = [...many.events, ...next.events].map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 200 }, (_, i) => `copy${20_000 - i}`));
});
