import { join } from "node:path";
import { signUp, type User } from "../harness/session.ts";
import { createWorld, type World } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { startDatabase, startProxy } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { load } from "./load.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { withTempDir } from "./with-temp-dir.ts";

// npm run bench:partner: what a partner waits for their overview beside many events of others.

const sales = unlessTried(10_000, 100);
const own = { clicks: 10 * sales, customers: sales, sales, days: 90, base: 10 ** 9 };
const others = { ...own, clicks: 100 * sales, customers: 10 * sales, sales: 10 * sales, base: 2 * 10 ** 9 };
const callsPerRound = 20;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 1 }, { rounds: 2 });

async function giveAccess(world: World, owner: User, user: User): Promise<string> {
  const { programId, partner } = world;
  const invitation = await owner.post<{ data: { inviteUrl: string } }>(
    `/api/programs/${programId}/partners/${partner.id}/invitations`,
    { role: "view" },
  );
  if (invitation.status !== 201) throw new Error(invitation.text);
  const token = new URLSearchParams(invitation.body.data.inviteUrl.split("?")[1]).get("token") ?? "";
  const accepted = await user.post("/api/partner/invitations/accept", { token });
  if (accepted.status !== 200) throw new Error(accepted.text);
  return `/api/partner/programs/${programId}/partners/${partner.id}/overview`;
}

/** The slowest of a round (ms). */
async function slowest(user: User, path: string, period: string): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < callsPerRound; i += 1) {
    const sent = performance.now();
    const { status, text, body } = await user.get<{ data: { totals: { sales: number } } }>(`${path}?period=${period}`);
    took.push(performance.now() - sent);
    if (status !== 200) throw new Error(text);
    if (period === "all" && body.data.totals.sales !== own.sales) throw new Error(`counted: ${text}`);
  }
  return Math.max(...took);
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const proxy = await startProxy(temp, database);
  const target = await temp.stopAtEnd(startTarget(ours, proxy.url));
  const [owner, user] = [await signUp(target.url), await signUp(target.url)];
  const members = [{ user: owner, role: "owner" as const }];
  const world = await createWorld(database.url, { members, partners: Array.from({ length: 11 }, () => ({})) });
  await load({ ...world, partners: [world.partner] }, own);
  await load({ ...world, partners: world.partners.slice(1) }, others);
  const path = await giveAccess(world, owner, user);

  const periods = ["7d", "90d", "all"];
  const rounds: Readonly<Record<string, number>>[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const order = round % 2 === 0 ? periods : periods.toReversed();
    const took: Record<string, number> = {};
    for (const period of order) took[period] = await slowest(user, path, period);
    rounds.push(took);
    process.stderr.write(".");
  }
  process.stderr.write("\n");
  proxy.resetCounts();
  await user.get(path);
  const { total: requests, rows: rowsRead } = proxy.counts;

  const figures = periods.map((period) => ({ period, ms: figureOf(rounds.map((round) => round[period])) }));
  const limits = [
    { what: "the slowest overview, ms", is: Math.max(...figures.map(({ ms }) => ms?.max ?? Infinity)), atMost: 1_000 },
    { what: "requests to the database for an overview", is: requests, atMost: 4 },
  ];
  const rows = figures.map(({ period, ms }) => [period, shown(ms)]);
  const read = `${rowsRead.toLocaleString("en")} rows are read for the overview of 7 days.`;
  const markdown = `${machine()}\n\n${table(["period", `slowest of ${callsPerRound}, ms`], rows)}\n\n${read}`;
  await publish({ name: "partner", markdown, data: { options, rounds, requests, rowsRead }, limits }, options.write);
});
