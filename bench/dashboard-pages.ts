import { setTimeout as delay } from "node:timers/promises";
import { type BrowserContext, chromium } from "playwright-core";
import { findChromium } from "../harness/chromium.ts";
import type { User } from "../harness/session.ts";
import type { World } from "../harness/world.ts";

const pages = ["overview", "events", "partners", "commissions", "setup", "settings"] as const;
const opened = 5;
export const maxPageMs = 1_000;

/** Partners without events, besides the world's own. */
export async function addPartners({ programId, partner, write }: World, count: number): Promise<void> {
  const base = partner.id + 1_000_000;
  const series = `with recursive series (i) as (select 1 union all select i + 1 from series where i < ${count})`;
  const now = Date.now();
  await write(
    `insert into partners (id, program_id, name, status, is_synthetic, created_at)
     ${series} select ${base} + i, ${programId}, 'Partner ' || i, 'active', 0, ${now} from series`,
    `insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at)
     ${series} select ${base} + i, ${programId}, ${base} + i, 'P' || i, 'p' || i, 'active', ${now} from series`,
  );
}

/** Prints how long each page takes until its figures show, and returns whether all are fast enough. */
export async function measurePages(user: User, { programId }: World): Promise<boolean> {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ baseURL: user.url, viewport: { width: 1440, height: 900 } });
    const { hostname } = new URL(user.url);
    await context.addCookies([...user.cookies].map(([name, value]) => ({ name, value, domain: hostname, path: "/" })));
    let isFast = true;
    for (const path of pages) {
      const times: number[] = [];
      for (let i = 0; i <= opened; i += 1)
        times.push(await timeToFigures(context, `/app/programs/${programId}/${path}`));
      // The first loads the page's parts.
      const [, ...warm] = times;
      const median = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)] ?? 0;
      isFast &&= median <= maxPageMs;
      console.log(`${path.padEnd(28)}${median.toFixed(0).padStart(10)}`);
    }
    return isFast;
  } finally {
    await browser.close();
  }
}

async function timeToFigures(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  const startedAt = performance.now();
  await page.goto(path, { waitUntil: "commit" });
  await page.locator("main h1").first().waitFor();
  while (await page.evaluate<boolean>(`document.querySelector('main [aria-busy="true"]') !== null`)) await delay(5);
  const took = performance.now() - startedAt;
  await page.close();
  return took;
}
