import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../scripts/build.ts";
import { startDatabase } from "../test/support/database.ts";
import { startService } from "../test/support/service.ts";
import { signUp, type User } from "../test/support/session.ts";
import { readBuiltWorker } from "../test/support/worker-options.ts";
import { createWorld, type World } from "../test/support/world.ts";

// npm run bench:dashboard: does a page of the dashboard cost more where there are a thousand times as many events? Both
// programs are in one database, and are asked in turn, over HTTP, on the built Worker. Fails where it costs 1.5 times
// as much.

const sizes = { small: 1_000, large: 1_000_000 } as const;
const maxRatio = 1.5;
const days = 90;
const partners = 10;
const asked = 300;
const warmUp = 40;
const rowsAtOnce = 100_000;

const pages = {
  "performance, 30 days": "/api/tracking/performance/:id?period=30d",
  "performance, 90 days": "/api/tracking/performance/:id?period=90d",
  "events, first page of 10": "/api/tracking/events/:id",
  "events, first page of 100": "/api/tracking/events/:id?pageSize=100",
  "events of one partner": "/api/tracking/events/:id?partnerId=:partner",
  "events of no partner": "/api/tracking/events/:id?partnerId=1",
  status: "/api/tracking/status/:id",
} as const;

/** Events by the hundred thousand, evenly over the days and partners, counted by the database's own triggers. */
async function load({ programId, partners: all, write }: World, clicks: number, base: number): Promise<void> {
  const end = Date.now() - 60_000;
  const span = days * 24 * 3_600_000;
  const codes = all.map((partner) => [partner.id, partner.linkId, partner.code] as const);
  const ofPartner = (column: 0 | 1 | 2) =>
    `case i % ${codes.length} ${codes.map((code, n) => `when ${n} then '${code[column]}'`).join(" ")} end`;
  const partnerId = `cast(${ofPartner(0)} as integer)`;

  const insert = async (table: string, total: number, columns: Readonly<Record<string, string>>) => {
    const at = `${end} - (${total} - i) * ${span} / ${total}`;
    const all = {
      id: `${base} + i`,
      program_id: String(programId),
      created_at: at,
      ...columns,
    };
    const values = Object.values(all).map((value) =>
      value.replaceAll(":at", `(${at})`).replaceAll(":day", `strftime('%Y-%m-%d', (${at}) / 1000, 'unixepoch')`),
    );
    for (let from = 1; from <= total; from += rowsAtOnce) {
      const to = Math.min(from + rowsAtOnce - 1, total);
      await write(`
        insert into ${table} (${Object.keys(all).join(", ")})
        with recursive series (i) as (select ${from} union all select i + 1 from series where i < ${to})
        select ${values.join(", ")} from series`);
    }
  };

  const happened = { is_test: "0", occurred_at: ":at", day: ":day" };
  await insert("clicks", clicks, {
    ...happened,
    click_id: `'bench-${base}-' || i`,
    link_id: `cast(${ofPartner(1)} as integer)`,
    partner_id: partnerId,
    source: "'browser'",
    is_bot: "i % 50 = 0",
    is_prefetch: "0",
    visitor: `'${base}-' || (i / 3)`,
    page_url: "'https://shop.example/pricing'",
    country: "'NL'",
    device_type: "'mobile'",
    os: "'iOS'",
    browser: "'Safari'",
  });
  await insert("customers", clicks / 10, {
    is_test: "0",
    customer_key: "'customer-' || i",
    partner_id: partnerId,
    link_id: `cast(${ofPartner(1)} as integer)`,
    click_id: `'bench-${base}-' || i`,
    click_at: ":at",
    evidence: "'key'",
  });
  await insert("leads", clicks / 10, {
    ...happened,
    operation_id: `'bench-${base}-' || i`,
    customer_id: `${base} + i`,
    customer_key: "'customer-' || i",
    is_provisional: "0",
    evidence: "'key'",
    partner_id: partnerId,
    partner_code: ofPartner(2),
    click_id: `'bench-${base}-' || i`,
  });
  const sales = (clicks * 3) / 100;
  await insert("sales", sales, {
    ...happened,
    transaction_id: "'bench-' || i",
    operation_id: `'bench-${base}-' || i`,
    customer_id: `${base} + i`,
    amount_cents: "1000 + i % 9000",
    currency: "'EUR'",
    sale_type: "'payment'",
    is_recurring: "0",
    partner_id: partnerId,
    partner_code: ofPartner(2),
    refunded_cents: "0",
  });
  await insert("commissions", sales, {
    is_test: "0",
    sale_id: `${base} + i`,
    partner_id: partnerId,
    status: "'pending'",
    is_unconfirmed: "0",
    initial_cents: "200",
    amount_cents: "0",
    currency: "'EUR'",
    hold_until: ":at + 1296000000",
    explanation: "'{}'",
  });
  await insert("ledger_entries", sales, {
    ...happened,
    commission_id: `${base} + i`,
    partner_id: partnerId,
    kind: "'earned'",
    amount_cents: "200",
    currency: "'EUR'",
  });
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Milliseconds from the request to the end of its answer. */
async function timed(user: User, path: string): Promise<number> {
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const startedAt = performance.now();
  const response = await fetch(user.url + path, { headers: { cookie } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - startedAt;
}

async function measure(user: User, small: World, large: World): Promise<boolean> {
  let isFlat = true;
  for (const [name, page] of Object.entries(pages)) {
    const path = ({ programId, partner }: World) =>
      page.replace(":id", String(programId)).replace(":partner", String(partner.id));
    const times = { small: [] as number[], large: [] as number[] };
    for (let i = 0; i < warmUp + asked; i += 1) {
      const [ofSmall, ofLarge] = [await timed(user, path(small)), await timed(user, path(large))];
      if (i < warmUp) continue;
      times.small.push(ofSmall);
      times.large.push(ofLarge);
    }
    const [ofSmall, ofLarge] = [median(times.small), median(times.large)];
    const ratio = ofLarge / ofSmall;
    isFlat &&= ratio <= maxRatio;
    const row = [name.padEnd(28), ofSmall.toFixed(2), ofLarge.toFixed(2), ratio.toFixed(2)];
    console.log(row.map((cell) => cell.padStart(10)).join("  "));
  }
  return isFlat;
}

const directory = await mkdtemp(join(tmpdir(), "tributary-bench-"));
const database = await startDatabase();
const service = await startService({
  worker: readBuiltWorker(await build({ directory })),
  databaseUrl: database.url,
  vars: { RATE_LIMITS: "off" },
});
try {
  const user = await signUp(service.url);
  const open = () =>
    createWorld(database.url, {
      members: [{ user, role: "viewer" }],
      partners: Array.from({ length: partners }, () => ({})),
    });
  const [small, large] = [await open(), await open()];
  const startedAt = performance.now();
  await load(small, sizes.small, 10 ** 9);
  await load(large, sizes.large, 2 * 10 ** 9);
  console.log(`Loaded in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`);
  console.log(`Median of ${asked}, milliseconds, with ${sizes.small} clicks and with ${sizes.large}:`);
  if (!(await measure(user, small, large))) {
    console.log(`More than ${maxRatio} times as much: the dashboard reads events where it should read days.`);
    process.exitCode = 1;
  }
} finally {
  await service.stop();
  await database.dispose();
  await rm(directory, { recursive: true, force: true });
}
