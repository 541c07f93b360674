import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { Unreachable } from "#engine/writer.ts";
import { FencedWriter } from "#ledger/fenced-writer.ts";
import { openDatabase } from "#store/database.ts";
import { createWorld } from "../../harness/world.ts";
import { openClient } from "../../scripts/database/client.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });
const clock = { now: () => Date.now(), sleep: (ms: number) => delay(ms), random: () => 0.5 };

/** Starts a gateway in front of the database. It forwards the next write, but responds with its own body. */
async function gateway(body: string, status = 502) {
  let isArmed = false;
  const server = createServer(async (incoming, outgoing) => {
    const sent = Buffer.concat(await incoming.toArray());
    const answer = await fetch(new URL(incoming.url ?? "/", own.server.url), { method: "POST", body: sent });
    const text = await answer.text();
    const isHit = isArmed && sent.includes("BEGIN IMMEDIATE");
    if (isHit) isArmed = false;
    outgoing.writeHead(isHit ? status : answer.status, { "content-type": "application/json" });
    outgoing.end(isHit ? body : text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: () => {
      isArmed = true;
    },
  };
}

it.each([
  `{"code":14,"message":"upstream connect error"}`,
  `{"code":502,"message":"Bad Gateway"}`,
  `{"message":"Bad Gateway","code":null}`,
])("a write is reported as one with an unknown outcome when a gateway responds %s", async (body) => {
  const { url, arm } = await gateway(body);
  const writer = new FencedWriter(openDatabase({ url, authToken: undefined }), clock);
  await writer.claim();
  arm();
  const outcome = await writer.write([{ sql: "select 1", args: [] }]).catch((error: unknown) => error);
  expect(outcome instanceof Error ? outcome : new Unreachable()).toBeInstanceOf(Unreachable);
});

it.each(sampled([`{"code":14,"message":"upstream connect error"}`, `{"message":"Bad Gateway","code":null}`]))(
  "every sale with a success response is stored when a gateway responds %s",
  async (body) => {
    const { url, arm } = await gateway(body);
    const world = await createWorld(own.server.url);
    const ledger = ownLedger(url, clock);
    const calls = callsOf(world, ledger);
    const sell = (id: string) => ledger.submit(calls.saleTask(id, daysAgo(1), {}, clock.now())).outcome;
    const stored = async () => {
      const { rows } = await openClient({ url: own.server.url }).execute({
        sql: "select transaction_id from sales where program_id = ? order by id",
        args: [world.programId],
      });
      return rows.map((row) => row.transaction_id);
    };
    // The first sale is refused if the database is busy with what the previous test left.
    await expect.poll(async () => (await sell("before")).ok || (await stored()).includes("before")).toBe(true);
    arm();
    await sell("first");
    const second = await sell("second");
    expect(second.ok && !(await stored()).includes("second")).toBe(false);
  },
);
