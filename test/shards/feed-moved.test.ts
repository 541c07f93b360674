/** @module-tag soak */
import { beforeAll, expect, test } from "vitest";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { eventually } from "../support/isolated-service.ts";
import { shardedServiceWith } from "../support/sharded-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
const own = shardedServiceWith({ vars: receiver.vars }, "weur", "enam");
let owner: User;
beforeAll(async () => {
  owner = await own.user("Grace Hopper");
});

interface Feed {
  readonly newest_seq: number;
  readonly events: readonly { readonly seq: number; readonly type: string }[];
}

const urlOf = (shard: number): string => own.databases[shard]?.url ?? "";

async function openShop() {
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const of = { workspaceId: workspace.body.data.id, name: "Shop", currency: "EUR", websiteUrl: "https://shop.example" };
  const made = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    ...of,
    location: "weur",
  });
  const { id, apiToken: key } = made.body.data;
  await owner.post(`/api/programs/${id}/partners`, { name: "Anna", code: uniqueWord("c") });
  const feed = async (isTest: boolean, after = 0) => {
    const path = `/api/v1/programs/me/events?after=${after}&test_mode=${isTest}`;
    return (await own.api().request<Feed>("GET", path, { key })).body;
  };
  /** Records a sale, and returns the newest sequence number of the feed. */
  const sell = async (transaction_id: string, isTest = false) => {
    const body = { transaction_id, amount_cents: 4_900, customer_key: "u", additional_data: { test_mode: isTest } };
    // Callers repeat the call until the program has been migrated.
    await expect.poll(async () => (await own.api().sale(body, { key })).status).toBe(200);
    return (await feed(isTest)).newest_seq;
  };
  return { id, feed, sell };
}

test("sequence numbers of live and test events that a restore has lost aren't reused after a migration to another shard", async () => {
  // The other shard was restored before.
  await supersedeWriters(databaseAt(urlOf(2)));
  const { id, feed, sell } = await openShop();
  const kept = [await sell("t1"), await sell("t1", true)] as const;
  const lost = [await sell("t2"), await sell("t2", true)] as const;
  for (const isTest of [0, 1] as const) {
    const after = `program_id = ${id} and is_test = ${isTest} and seq > ${kept[isTest]}`;
    await openDatabaseClient(urlOf(1)).execute(`delete from events where ${after}`);
  }
  await supersedeWriters(databaseAt(urlOf(1)));
  // Simulates that the program's next payout was finalized.
  await openDatabaseClient(urlOf(1)).execute(
    `insert into audit_entries (program_id, operation_id, actor_id, action, subject, created_at)
    select ${id}, 'restore ' || restored_at || ' program ${id}', 'x', 'payout.finalized', 'payout 1', 1 from ledger_writers`,
  );
  await moveProgram(own.places, await beginMove(own.places, id, 2));
  for (const isTest of [0, 1] as const) {
    await sell("t3", isTest === 1);
    const { events } = await feed(isTest === 1, kept[isTest]);
    expect(events.map(({ type }) => type)).toEqual(["feed.restarted", "sale.recorded"]);
    expect(events[0]?.seq).toBeGreaterThan(lost[isTest] + 1_000_000_000);
  }
  const before = await sell("t4");
  await supersedeWriters(databaseAt(urlOf(2)));
  await sell("t5");
  expect((await feed(false, before)).events[0]?.type).toBe("feed.restarted");
});

test("a webhook gets each event from before, during and after a migration, even if its receiver fails meanwhile", async () => {
  const { id, feed, sell } = await openShop();
  const made = await owner.post(`/api/programs/${id}/webhooks`, { url: receiver.url("/moved") });
  expect(made.status, made.text).toBe(201);
  const { newest_seq } = await feed(false);
  let received = 0;
  receiver.answerWith("/moved", (reply) => {
    received += 1;
    reply.writeHead(received % 5 === 0 ? 503 : 204).end();
  });
  await sell("before");
  const selling = (async () => {
    for (let sale = 0; sale < 30; sale += 1) await sell(`while ${sale}`);
  })();
  await moveProgram(own.places, await beginMove(own.places, id, 2));
  await selling;
  await sell("after");
  const { events } = await feed(false, newest_seq);
  const ids = new Set(events.map(({ seq }) => `evt_${id}_${seq}`));
  expect(ids.size).toBe(32);
  const got = await eventually(
    async () => new Set(receiver.at("/moved").map((event) => event.id)),
    (each) => each.size >= ids.size,
    60_000,
  );
  expect(got).toEqual(ids);
});
