import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { numberedTableNames } from "#store/fenced-row.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { type ChangeCall, ownLedger } from "../support/own-ledger.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

/** Returns the tables from which the service deletes rows, as found in its source files. */
const deletedFrom = async () => {
  const folder = new URL("../../src/store/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const names = texts.flatMap((text) => [...text.matchAll(/\.delete\(\s*(\w+)\s*\)/g)].map(([, name = ""]) => name));
  return new Set(names.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
};

const clock = { now: () => Date.now(), sleep: () => Promise.resolve(), random: () => 0.5 };

const operation = () => ({ operationId: randomBytes(8).toString("hex"), at: Date.now(), actorId: "somebody" });

async function openWebhook() {
  const world = await createWorld(database.url);
  const ledger = ownLedger(database.url, clock);
  const change = async (call: ChangeCall) => {
    const { meta: _, ...outcome } = await ledger.submit(ledger.changeTask(call, Date.now())).outcome;
    expect(ledger.faults).toEqual([]);
    return outcome;
  };
  const { programId } = world;
  const of = { url: "https://shop.example/", description: "", types: null, testMode: false };
  const secret = () => ({ sealId: randomBytes(8).toString("hex"), sealed: "sealed" });
  await change({ ...operation(), kind: "create-webhook", programId, ...of, secret: secret() });
  await world.write(
    `update webhooks set proved_at = 1 where program_id = ${programId}`,
    `delete from webhook_deliveries where program_id = ${programId}`,
  );
  const [row] = await world.rows("select id, cursor from webhooks where program_id = ?", programId);
  return { world, change, secret, programId, webhookId: Number(row?.id), cursor: Number(row?.cursor) };
}

const stored = async ({ rows, programId }: World) =>
  JSON.stringify(
    await Promise.all(
      ["webhooks", "webhook_secrets", "webhook_deliveries", "events", "audit_entries"].map((table) =>
        rows(`select * from ${table} where program_id = ? order by 1, 2, 3`, programId),
      ),
    ),
  );

test("a call that changes a webhook takes effect only once if the call is sent twice", async () => {
  const { world, change, secret, programId, webhookId } = await openWebhook();
  const of = { programId, webhookId };
  const another = { url: "https://shop.example/2", description: "", types: null, testMode: true };
  const calls: ChangeCall[] = [
    { ...operation(), kind: "create-webhook", programId, ...another, secret: secret() },
    { ...operation(), kind: "rotate-webhook", ...of, graceHours: 24, secret: secret() },
    { ...operation(), kind: "replay-webhook", ...of, fromSeq: 1, toSeq: 2 },
    { ...operation(), kind: "redeliver", ...of, eventId: "evt_example_1", type: "sale.recorded", seq: null },
    { ...operation(), kind: "update-webhook", ...of, changes: { status: "disabled", types: '["sale.recorded"]' } },
    { ...operation(), kind: "delete-webhook", ...of },
  ];
  for (const call of calls) {
    const before = await stored(world);
    const first = await change(call);
    expect(first).toMatchObject({ ok: true });
    const after = await stored(world);
    expect(after, call.kind).not.toBe(before);
    expect(await change(call)).toEqual(first);
    expect(await stored(world), call.kind).toBe(after);
  }
});

test("a delivery's result counts once, a superseded sender doesn't move the webhook's position, and too many failures disable the webhook", async () => {
  const { world, change, programId, webhookId, cursor } = await openWebhook();
  const event = { eventId: "evt_1", seq: cursor + 1, type: "sale.recorded" } as const;
  const health = {
    url: "https://shop.example/",
    hasDelivered: false,
    failures: 1,
    failingSince: 1,
    disablesSince: null,
  };
  const settle = (settled: object, progress: object, changed: object = {}): ChangeCall =>
    ({
      ...{ operationId: operation().operationId, at: Date.now(), kind: "settle-deliveries", programId, webhookId },
      settled: [{ ...event, dueAt: 5, isDelivered: false, isFirst: true, isUnderWay: false, attempts: 1, ...settled }],
      progress: { cursor: undefined, replay: undefined, health: { ...health, ...changed }, ...progress },
    }) as ChangeCall;
  const rowsOf = async () => {
    const [webhook] = await world.rows("select cursor, status from webhooks where id = ?", webhookId);
    const waiting = await world.rows(
      "select attempts, due_at, failed_at is not null as failed from webhook_deliveries where webhook_id = ?",
      webhookId,
    );
    return [webhook, waiting].map((each) => JSON.parse(JSON.stringify(each)));
  };
  const first = settle({}, { cursor: [cursor, cursor + 1] });
  await change(first);
  const once = [{ cursor: cursor + 1, status: "active" }, [{ attempts: 1, due_at: 5, failed: 0 }]];
  expect(await rowsOf()).toEqual(once);
  await change(first);
  await change(settle({}, { cursor: [cursor, cursor + 9] }));
  expect(await rowsOf()).toEqual(once);

  const second = settle({ isFirst: false, attempts: 2, dueAt: 7 }, {});
  await change(second);
  await change(second);
  expect(await rowsOf()).toEqual([once[0], [{ attempts: 2, due_at: 7, failed: 0 }]]);

  await change(settle({ isFirst: false, attempts: 3, dueAt: 9 }, {}, { disablesSince: 1 }));
  expect(await rowsOf()).toEqual([
    { cursor: cursor + 1, status: "disabled" },
    [{ attempts: 3, due_at: null, failed: 1 }],
  ]);
  const told = await world.rows("select type from events where program_id = ? order by seq desc limit 1", programId);
  expect(told).toEqual([{ type: "webhook.disabled" }]);
});

test("events that were waiting when a webhook was disabled are sent after it is enabled again, and events from in between aren't", async () => {
  const { world, change, programId, webhookId, cursor } = await openWebhook();
  const stateOf = async () => {
    const [row] = await world.rows("select cursor, replays from webhooks where id = ?", webhookId);
    return [row?.cursor, row?.replays];
  };
  const set = (status: "active" | "disabled") =>
    change({ ...operation(), kind: "update-webhook", programId, webhookId, changes: { status } });
  await set("disabled");
  await set("active");
  expect(await stateOf()).toEqual([cursor + 1, "[]"]);
  await world.write({ sql: "update webhooks set cursor = ? where id = ?", args: [cursor - 1, webhookId] });
  await set("disabled");
  await set("active");
  expect(await stateOf()).toEqual([cursor + 2, JSON.stringify([[cursor, cursor + 1, 1]])]);
});

test("a webhook's new address begins without the failures of the former address", async () => {
  const { world, change, programId, webhookId } = await openWebhook();
  await world.write({
    sql: "update webhooks set failing_since = 1, failures = 25 where id = ?",
    args: [webhookId],
  });
  const failing = async () => {
    const [row] = await world.rows("select failing_since, failures from webhooks where id = ?", webhookId);
    return [row?.failing_since, row?.failures];
  };
  const update = (changes: Partial<{ description: string; url: string }>) =>
    change({ ...operation(), kind: "update-webhook", programId, webhookId, changes });
  await update({ description: "Shop" });
  expect(await failing()).toEqual([1, 25]);
  await update({ url: "https://new.example/" });
  expect(await failing()).toEqual([null, 0]);
});

test("the id of a deleted webhook is never reused, and of all rows with numeric ids, only clicks and webhooks are ever deleted", async () => {
  const { change, secret, programId, webhookId } = await openWebhook();
  const of = { url: "https://shop.example/", description: "", types: null, testMode: false };
  await change({ ...operation(), kind: "delete-webhook", programId, webhookId });
  const restarted = ownLedger(database.url, clock);
  const create = restarted.changeTask(
    { ...operation(), kind: "create-webhook", programId, ...of, secret: secret() },
    Date.now(),
  );
  const created = await restarted.submit(create).outcome;
  expect(created).toMatchObject({ ok: true, answer: { webhookId: expect.any(Number) } });
  expect(created.ok && Reflect.get(Object(created.answer), "webhookId")).toBeGreaterThan(webhookId);
  const deleted = await deletedFrom();
  // Rows in `clicks` may be deleted, because other rows refer to a click by its signed id and not by its number.
  expect(numberedTableNames.filter((name) => deleted.has(name)).sort()).toEqual(["clicks", "webhooks"]);
});
