import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../harness/client.ts";
import { testClickKeys } from "../harness/service.ts";
import { signUp } from "../harness/session.ts";
import { createWorld } from "../harness/world.ts";
import { migrate } from "../scripts/database/migrate.ts";
import { Gate, openShop, sellBeside, tableOfSales } from "./beside.ts";
import { loadBooks } from "./books.ts";
import { startDatabase } from "./database.ts";
import { type Options, unlessTried } from "./options.ts";
import { machine, publish } from "./results.ts";
import { buildWorkers, startTarget } from "./service.ts";
import type { TempDir } from "./with-temp-dir.ts";

const partnerCount = unlessTried(10_000, 200);

interface Settling {
  /** The path of the payout's lines. */
  readonly lines: string;
  readonly key: string;
}

/**
 * The simulated duration of a call to another service, which credits the partner before a line is reported as settled.
 */
const creditMs = unlessTried(100, 1);

/** Credits and settles due lines one after the other, as `settlePayout` of the SDK does. Returns their number. */
async function settleLines(api: Api, { lines, key }: Settling, gate: Gate): Promise<number> {
  for (let settled = 0; ; ) {
    const { body } = await api.request<{ data: { line_id: number }[] }>("GET", `${lines}?state=due`, { key });
    if (body.data.length === 0) return settled;
    for (const { line_id } of body.data) {
      if (!(await gate.pass())) return settled;
      await delay(creditMs);
      const report = { key, body: { settlement_id: `credit-${line_id}` } };
      const { status, text } = await api.request("POST", `${lines}/${line_id}/settle`, report);
      if (status !== 200) throw new Error(text);
      settled += 1;
    }
  }
}

/** Measures another program's sales while a payout of 10,000 lines is settled, one line after the other. */
export async function settlePayout(temp: TempDir, options: Options): Promise<void> {
  const { ours } = await buildWorkers(temp.directory);
  const database = await temp.stopAtEnd(startDatabase(join(temp.directory, "database")));
  await migrate({ url: database.url });
  const service = await temp.stopAtEnd(startTarget(ours, database.url));
  const owner = await signUp(service.url);
  const world = await createWorld(database.url, {
    members: [{ user: owner, role: "owner" }],
    keys: [{}, { name: "Billing", scopes: ["read", "settle"], book: "both" }],
    partners: Array.from({ length: partnerCount }, () => ({})),
  });
  // The older one of a partner's two sales is approved.
  await loadBooks(world, testClickKeys, 2 * partnerCount);
  const shop = await openShop(service.url, database.url);

  const payouts = `/api/programs/${world.programId}/payouts`;
  const created = await owner.post<{ data: { id: number } }>(payouts, { currency: "EUR", settledBy: "api" });
  const { id } = created.body.data;
  const finalized = await owner.post<{ data: { lineCount: number } }>(`${payouts}/${id}/finalize`, {});
  if (finalized.status !== 200) throw new Error(finalized.text);

  const gate = new Gate();
  const lines = `/api/v1/programs/me/payouts/${id}/lines`;
  const settling = settleLines(shop.api, { lines, key: world.keys[1] ?? "" }, gate).finally(gate.end);
  const measured = await sellBeside(shop, gate, options);
  gate.end();
  const settled = await settling;

  const about = `${settled.toLocaleString("en")} of ${partnerCount.toLocaleString("en")} lines were settled in these windows of ${options.seconds} seconds, each after a credit of ${creditMs} ms.`;
  const markdown = `${machine()}\n\n${about}\n\n${tableOfSales(measured, "lines are settled")}`;
  await publish({ name: "payouts-settled", markdown, data: { options, settled, measured } }, options.write);
}
