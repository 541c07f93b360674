import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDatabase } from "../harness/database.ts";
import { startService } from "../harness/service.ts";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { build } from "../scripts/build/build.ts";
import { caps } from "../src/domain/caps.ts";
import { addPartners, maxPageMs, measurePages } from "./dashboard-pages.ts";
import { load, stockOf } from "./load.ts";

// npm run bench:dashboard: fails if a page of the dashboard takes more than 1.5 times as long with a thousand times as
// many events, or if a page of the large program, which has as many partners as it can, shows its figures after more
// than a second. Both programs are in one database and take turns, over HTTP, on the built Worker.

const sizes = { small: 1_000, large: 1_000_000 } as const;
const maxRatio = 1.5;
const partners = 10;
const asked = 300;
const warmUp = 40;

const pages = {
  "performance, 30 days": "/api/tracking/performance/:id?period=30d",
  "performance, 90 days": "/api/tracking/performance/:id?period=90d",
  "performance of partners": "/api/tracking/performance/:id/partners?period=30d",
  "events, first page of 10": "/api/tracking/events/:id",
  "events, first page of 100": "/api/tracking/events/:id?pageSize=100",
  "events of one partner": "/api/tracking/events/:id?partnerId=:partner",
  "events of no partner": "/api/tracking/events/:id?partnerId=1",
  status: "/api/tracking/status/:id",
} as const;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

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
  build: await build({ directory }),
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
  await load(small, stockOf(sizes.small, 10 ** 9));
  await load(large, stockOf(sizes.large, 2 * 10 ** 9));
  console.log(`Loaded in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`);
  console.log(`Median of ${asked}, milliseconds, with ${sizes.small} clicks and with ${sizes.large}:`);
  const isFlat = await measure(user, small, large);
  await addPartners(large, caps.partners.max - partners);
  console.log(`Milliseconds until figures show, with ${sizes.large} clicks and ${caps.partners.max} partners:`);
  if (!(await measurePages(user, large))) {
    console.log(`A page takes more than ${maxPageMs} ms.`);
    process.exitCode = 1;
  }
  if (!isFlat) {
    console.log(`More than ${maxRatio} times as much: the dashboard reads events where it should read days.`);
    process.exitCode = 1;
  }
} finally {
  await service.stop();
  await database.dispose();
  await rm(directory, { recursive: true, force: true });
}
