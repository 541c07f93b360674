import { join } from "node:path";
import { signUp, type User } from "../harness/session.ts";
import { addMember, type World } from "../harness/world.ts";
import type { ServedFiles } from "../scripts/build/served-files.ts";
import { openWorldOf, prepare, startCopy, startProxy, startServer } from "./database.ts";
import { figureOf, shown, table } from "./figures.ts";
import { load } from "./load.ts";
import { readOptions, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import { type TempDir, withTempDir } from "./with-temp-dir.ts";

// npm run bench:partner: what a partner waits for their overview beside many events of others.

const sales = unlessTried(10_000, 100);
const own = { clicks: 10 * sales, customers: sales, sales, days: 90, base: 10 ** 9 };
const others = { ...own, clicks: 100 * sales, customers: 10 * sales, sales: 10 * sales, base: 2 * 10 ** 9 };
const callsPerRound = 20;
const options = readOptions({ only: [], connections: [], rounds: 7, seconds: 1 }, { rounds: 2 });

interface Service {
  readonly url: string;
  readonly databaseUrl: string;
}

async function giveAccess(world: World, { url, databaseUrl }: Service) {
  const { programId, partner } = world;
  const [owner, user] = [await signUp(url), await signUp(url)];
  await addMember(databaseUrl, world.workspaceId, { user: owner, role: "owner" });
  const invitation = await owner.post<{ data: { inviteUrl: string } }>(
    `/api/programs/${programId}/partners/${partner.id}/invitations`,
    { role: "view" },
  );
  if (invitation.status !== 201) throw new Error(invitation.text);
  const token = new URLSearchParams(invitation.body.data.inviteUrl.split("?")[1]).get("token") ?? "";
  const accepted = await user.post("/api/partner/invitations/accept", { token });
  if (accepted.status !== 200) throw new Error(accepted.text);
  return { user, path: `/api/partner/programs/${programId}/partners/${partner.id}/overview` };
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

interface Counted {
  readonly base: string;
  readonly ours: ServedFiles;
  readonly world: World;
}

/** On workerd and sqld: a database in the process is sent nothing that could be counted. */
async function countRequests(temp: TempDir, { base, ours, world }: Counted) {
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "counted"), startServer));
  const proxy = await startProxy(temp, database);
  const target = await temp.stopAtEnd(startTarget(ours, proxy.url));
  const { user, path } = await giveAccess(world, { url: target.url, databaseUrl: database.url });
  await slowest(user, path, "7d");
  proxy.resetCounts();
  await user.get(path);
  return proxy.counts;
}

await withTempDir(async (temp) => {
  const { ours } = await buildWorkers(temp.directory);
  const base = join(temp.directory, "base");
  const world = await prepare(base, async (empty) => {
    const opened = await openWorldOf(empty, 11);
    await load({ ...opened, partners: [opened.partner] }, own);
    await load({ ...opened, partners: opened.partners.slice(1) }, others);
    return opened;
  });
  const database = await temp.stopAtEnd(startCopy(base, join(temp.directory, "database")));
  const target = await temp.stopAtEnd(startTarget(ours, database.url));
  const { user, path } = await giveAccess(world, { url: target.url, databaseUrl: database.url });

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
  const { total: requests, rows: rowsRead } = await countRequests(temp, { base, ours, world });

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
