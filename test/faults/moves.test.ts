import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { shardLines } from "#domain/shard-list.ts";
import { testSecrets } from "../../harness/service.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { openClient } from "../../scripts/database/client.ts";
import { node, root } from "../../scripts/root.ts";
import { beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { sampled } from "../support/breadth.ts";
import { shardedServiceWith } from "../support/sharded-service.ts";

// A program is migrated under load while a process dies at some step. Afterwards, everything that was answered 200 must
// be recorded once.

/** Uses a separate database server, because a database inside the service's process can't be killed alone. */
const own = shardedServiceWith({ runtime: "workerd" }, "weur", "enam");
const kills = Number(process.env.MOVE_KILLS ?? 1);
const callers = 6;
const movedWithinMs = 60_000;

// Creates an owner and a workspace per program, because an hour of kills needs more programs than the limits per owner
// and workspace allow.
async function createShop() {
  const owner = await own.user();
  const { id: workspaceId } = (await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" })).body
    .data;
  const made = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    ...{ workspaceId, name: "Shop", currency: "EUR", location: "weur" },
  });
  const { id, apiToken: key } = made.body.data;
  await owner.post(`/api/programs/${id}/partners`, { name: "Anna", code: `c${id % 1_000_000}` });
  const policy = { type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 };
  await owner.put(`/api/programs/${id}/commission-policy`, policy);
  return { id, key, landing: `https://shop.example/?aff=c${id % 1_000_000}` };
}
type Shop = Awaited<ReturnType<typeof createShop>>;

/** Sends calls until it is stopped. Repeats each call until it is answered. */
function load({ id, key, landing }: Shop) {
  const sales = new Map<string, number>();
  const clicks = new Set<string>();
  const unexpected: string[] = [];
  const state = { isOver: false };
  const api = own.api();
  const again = async <T extends { status: number; text: string }>(send: () => Promise<T>): Promise<T | undefined> => {
    while (!state.isOver) {
      const reply = await send().catch(() => undefined);
      if (reply !== undefined && reply.status !== 503) return reply;
      await delay(100);
    }
    return undefined;
  };
  const call = async (caller: number) => {
    for (let n = 0; !state.isOver; n += 1) {
      const transaction = randomUUID();
      const event = randomUUID();
      const clicked = await again(() =>
        api.click({ affiliate_url: landing, program_id: id, event_id: event }, { browser: true }),
      );
      if (clicked?.status === 200) clicks.add(event);
      else if (clicked !== undefined) unexpected.push(clicked.text);
      const customer = `u${caller}-${n % 3}`;
      const body = { transaction_id: transaction, amount_cents: 4_900, customer_key: customer };
      const sold = await again(() => api.sale({ ...body, click_id: clicked?.body.click_id }, { key }));
      // The first response may have been lost, and then the repeat gets 409.
      if (sold?.status === 200) sales.set(transaction, sold.body.sale_id);
      else if (sold?.status === 409) sales.set(transaction, Number(sold.body.error.details.sale_id));
      else if (sold !== undefined) unexpected.push(sold.text);
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const stop = async () => {
    state.isOver = true;
    await all;
    return { sales, clicks, unexpected };
  };
  return { stop, sold: () => sales.size };
}

const commandEnv = () => ({
  ...process.env,
  DATABASE_URL: own.databases[0]?.url,
  DATABASE_AUTH_TOKEN: testSecrets.DATABASE_AUTH_TOKEN,
  SHARDS: shardLines(own.shards),
  BASE_URL: own.service.url,
});

const theCommand = "the command itself";
const processes = {
  workerd: { kill: () => own.service.kill(), start: () => own.service.restart() },
  "the source's database": {
    kill: async () => own.databases[1]?.kill(),
    start: async () => own.databases[1]?.start(),
  },
  "the target's database": {
    kill: async () => own.databases[2]?.kill(),
    start: async () => own.databases[2]?.start(),
  },
  "home's database": { kill: async () => own.databases[0]?.kill(), start: async () => own.databases[0]?.start() },
  [theCommand]: {
    kill: async (programId: number) => {
      const args = ["scripts/tributary.ts", "shards", "move", String(programId), "2"];
      const command = spawn(node, args, { cwd: root, env: commandEnv(), stdio: "ignore" });
      await delay(500 + Math.random() * 4_000);
      command.kill("SIGKILL");
    },
    start: async () => {},
  },
} as const;

async function untilMoved(id: number, to: number): Promise<void> {
  const end = Date.now() + movedWithinMs;
  for (;;) {
    try {
      await moveProgram(own.places, await beginMove(own.places, id, to));
      return;
    } catch (error) {
      const isThere = await own.rows(to, "select 1 from programs where id = ? and place = 'here'", id).catch(() => []);
      if (isThere.length > 0) return;
      if (Date.now() > end) throw error;
      await delay(200);
    }
  }
}

test.each(sampled(Object.entries(processes)))(
  "a program's migration loses nothing while %s is killed",
  async (name, { kill, start }) => {
    for (let round = 0; round < kills; round += 1) {
      const shop = await createShop();
      const { stop, sold } = load(shop);
      await delay(500);
      const moved = name === theCommand ? undefined : untilMoved(shop.id, 2);
      await delay(50 + Math.random() * 1_500);
      await kill(shop.id);
      await delay(300);
      await start();
      await (moved ?? untilMoved(shop.id, 2));
      const before = sold();
      await expect.poll(sold, { timeout: movedWithinMs }).toBeGreaterThan(before + callers);
      const { sales, clicks, unexpected } = await stop();
      expect(unexpected).toEqual([]);
      expect(sales.size).toBeGreaterThan(5);

      const stored = await own.rows(2, "select id, transaction_id from sales where program_id = ?", shop.id);
      const ids = new Map(stored.map(({ id, transaction_id: transaction }) => [String(transaction), Number(id)]));
      for (const [transaction, id] of sales) expect(ids.get(transaction)).toBe(id);
      await expect
        .poll(async () => {
          const found = await own.rows(2, "select event_id from clicks where program_id = ?", shop.id);
          const events = found.map(({ event_id: event }) => String(event));
          const stored = new Set(events);
          return [stored.size === events.length, [...clicks].filter((event) => !stored.has(event)).length];
        })
        .toEqual([true, 0]);
      const client = openClient({ url: own.databases[2]?.url ?? "" });
      expect(await auditLedger(client, { programId: shop.id })).toEqual([]);
      client.close();
    }
  },
);
