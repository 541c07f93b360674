/** @module-tag soak */
import { expect, it } from "vitest";
import { browserHeaders, uniqueIp } from "../../harness/client.ts";
import { eventually, isolatedDevelopmentService } from "../support/isolated-service.ts";
import { worldOf } from "./away.ts";

// Cloudflare may evict the Ledger from memory at any time. Only the development runtime can simulate this, and plain
// workerd can't.

const own = isolatedDevelopmentService();
const away = worldOf(own);
const { click, storedClicks, countedClicks, spilled, settled } = away;

it("clicks in the Ledger's own storage survive the Ledger's eviction, and are written to the database once", async () => {
  const before = await storedClicks();
  own.proxy.inject({ kind: "refuse" });
  const ids = (await Promise.all([click({ event_id: "e" }), click()])).map(({ body }) => body.click_id);
  await own.service.evictLedger();
  expect(await spilled()).toBe(2);
  expect((await click({ event_id: "e" })).body.click_id).toBe(ids[0]);
  await own.service.evictLedger();
  own.proxy.heal();
  await eventually(storedClicks, (count) => count === before + 2);
  expect(await countedClicks()).toBe(before + 2);
});

it("a visitor's digest is the same before and after an eviction, and the Ledger stores neither IP address nor user agent", {
  tags: "soak",
}, async () => {
  const ip = uniqueIp();
  const fromOne = () => click({}, { ip, browser: true });
  await fromOne();
  await own.service.evictLedger();
  await fromOne();
  own.proxy.inject({ kind: "refuse" });
  await fromOne();
  await own.service.kill();
  await own.service.restart();
  await fromOne();
  expect(await spilled()).toBeGreaterThan(0);
  const sqlOfTables = "select name from sqlite_master where type = 'table' and name not glob '_cf_*'";
  for (const { name } of await own.service.ledgerStorage(sqlOfTables)) {
    const stored = JSON.stringify(await own.service.ledgerStorage(`select * from ${name}`));
    for (const raw of [ip, browserHeaders["user-agent"], "visitorDigest"]) {
      expect(stored.includes(raw), `${name}: ${raw}`).toBe(false);
    }
  }
  own.proxy.heal();
  await settled();
  const sql = "select distinct visitor from clicks where program_id = ? and source = 'browser'";
  expect(await away.world.rows(sql, away.world.programId)).toHaveLength(1);
});

it("an expired key for visitor digests is deleted when the Ledger starts, even without the database", async () => {
  own.proxy.inject({ kind: "refuse" });
  await own.service.ledgerStorage("insert into visitor_keys values ('2020-01-01', 'expired')");
  await own.service.evictLedger();
  const days = async () => (await own.service.ledgerStorage("select day from visitor_keys")).map(({ day }) => day);
  expect(await days()).not.toContain("2020-01-01");
});
