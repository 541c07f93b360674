import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deliverSome } from "#deliver/webhook-run.ts";
import {
  readActiveWebhooks,
  readLateWebhooks,
  readWebhookFigures,
  settleDeliveries,
} from "#store/webhook-deliveries.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { type ChangeCall, ownLedger } from "../support/own-ledger.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

const dayMs = 86_400_000;
const opId = () => randomBytes(8).toString("hex");

type Answer = (eventId: string) => number | Promise<number>;

/** Opens a webhook whose address is verified, and a sender with a test clock. */
async function openWebhook() {
  const hook = await openUnproved();
  await hook.step(() => 204);
  hook.sent.length = 0;
  return hook;
}

async function openUnproved() {
  const world = await createWorld(database.url);
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.resolve(), random: () => 0.5 };
  const ledger = ownLedger(database.url, clock);
  const { programId } = world;
  const change = async (call: object) => {
    const by = { operationId: opId(), at: now, programId, actorId: "somebody" };
    const task = ledger.changeTask({ ...by, ...call } as ChangeCall, now);
    expect(await ledger.submit(task).outcome).toMatchObject({ ok: true });
    expect(ledger.faults).toEqual([]);
  };
  const of = { url: "https://shop.example/", description: "", types: null, testMode: false };
  await change({ kind: "create-webhook", ...of, secret: { sealId: opId(), sealed: "s" } });
  const [row] = await world.rows("select id, cursor from webhooks where program_id = ?", programId);
  const [webhookId, cursor] = [Number(row?.id), Number(row?.cursor)];
  const sent: string[] = [];
  /** Runs one step of the sender. Returns the attempts that are still running. */
  const step = async (answer: Answer) => {
    const [webhook] = await readActiveWebhooks(databaseAt(database.url), programId, now);
    if (webhook === undefined) return [];
    const fetch = async (_: string, { headers }: { headers: Record<string, string> }) => {
      const id = String(headers["webhook-id"]);
      sent.push(id);
      return new Response(null, { status: await answer(id) });
    };
    return deliverSome(webhook, {
      ...{
        database: databaseAt(database.url),
        clock,
        lanes: 2,
        secrets: ["whsec_AAAA"],
        fetcher: { fetch: fetch as never },
      },
      settle: (settled, progress) => change({ kind: "settle-deliveries", webhookId, settled, progress }),
      onAttempt: () => undefined,
    });
  };
  return {
    ...{ world, webhookId, sent, step },
    tell: () =>
      world.write(
        `insert into events (program_id, is_test, type, subject) values (${programId}, 0, 'partner.applied', 1)`,
      ),
    update: (changes: object) => change({ kind: "update-webhook", webhookId, changes }),
    /** Replays a range of events. Event 1 is the first after the webhook's creation. */
    replay: (from: number, to: number) =>
      change({ kind: "replay-webhook", webhookId, fromSeq: cursor + from, toSeq: cursor + to }),
    refusalOfReplay: async (from: number, to: number, of = webhookId) => {
      const by = { operationId: opId(), at: now, programId, actorId: "somebody", webhookId: of };
      const range = { fromSeq: cursor + from, toSeq: cursor + to };
      const task = ledger.changeTask({ ...by, kind: "replay-webhook", ...range }, now);
      const outcome = await ledger.submit(task).outcome;
      return outcome.ok ? undefined : outcome.refusal.code;
    },
    /** Creates another webhook with a verified address. Returns its id. */
    another: async () => {
      await change({ kind: "create-webhook", ...of, secret: { sealId: opId(), sealed: "s" } });
      await world.write(`update webhooks set proved_at = 1 where program_id = ${programId}`);
      const [other] = await world.rows("select max(id) as id from webhooks where program_id = ?", programId);
      return Number(other?.id);
    },
    example: () =>
      change({ kind: "redeliver", webhookId, eventId: `evt_example_${opId()}`, type: "sale.recorded", seq: null }),
    pass: (ms: number) => {
      now += ms;
    },
    deliveries: async () => {
      const rows = await world.rows(
        "select attempts, failed_at is not null as failed from webhook_deliveries where webhook_id = ?",
        webhookId,
      );
      return rows.map(({ attempts, failed }) => [Number(attempts), Number(failed) === 1]);
    },
    row: async () => (await world.rows("select * from webhooks where id = ?", webhookId))[0],
    eventId: (of: number) => `evt_${programId}_${cursor + of}`,
  };
}

async function givenUp() {
  const hook = await openWebhook();
  await hook.tell();
  for (let i = 0; i < 10; i += 1) {
    await hook.step(() => 500);
    hook.pass(dayMs + 1);
  }
  expect(await hook.deliveries()).toEqual([[10, true]]);
  hook.sent.length = 0;
  return hook;
}

test("a replayed event whose first delivery was given up is retried until it is delivered", async () => {
  const { replay, step, deliveries, pass, sent } = await givenUp();
  await replay(1, 1);
  await step(() => 503);
  expect(await deliveries()).toEqual([[1, false]]);
  pass(dayMs);
  await step(() => 200);
  expect([sent.length, await deliveries()]).toEqual([2, []]);
});

test("the successful replay of an event removes the event's failed delivery or pending retry", async () => {
  const failed = await givenUp();
  await failed.replay(1, 1);
  await failed.step(() => 200);
  expect(await failed.deliveries()).toEqual([]);

  const waiting = await openWebhook();
  await waiting.tell();
  await waiting.step(() => 500);
  await waiting.replay(1, 1);
  await waiting.step(() => 200);
  expect(await waiting.deliveries()).toEqual([]);
});

test("delivery attempts that end after a program is frozen for a shard migration don't change the program's stored deliveries", async () => {
  const { world, webhookId: id, row } = await givenUp();
  const { programId } = world;
  const of = `webhook_id = ${id}`;
  const waiting = `webhook_id, 'evt_waiting', program_id, seq, type, 1, ${Date.now()}, null`;
  await world.write(`insert into webhook_deliveries select ${waiting} from webhook_deliveries where ${of}`);
  await world.write(
    `update webhooks set status = 'disabled', disabled_by = 'failures', disabled_at = 1 where id = ${id}`,
  );
  await world.write(`update programs set place = 'leaving', leave_by = 1 where id = ${programId}`);
  const deliveries = () => world.rows(`select * from webhook_deliveries where ${of} order by event_id`);
  const before = await deliveries();
  expect(before).toHaveLength(2);
  const url = String((await row())?.url);
  const health = { url, hasDelivered: false, failures: 1, failingSince: 1, disablesSince: 1 };
  const progress = { cursor: undefined, replay: undefined, health };
  const times = { at: Date.now(), forgetBefore: Number.MAX_SAFE_INTEGER };
  await databaseAt(database.url).write(settleDeliveries({ id, programId }, [], progress, times));
  expect(await deliveries()).toEqual(before);
});

test("a webhook from an earlier release sends an example event to its address if it never sent one", async () => {
  const { world, webhookId, tell, step, sent, row, deliveries, pass, eventId } = await openUnproved();
  await world.write(`delete from webhook_deliveries where webhook_id = ${webhookId}`);
  await tell();
  const late = async () =>
    (await readLateWebhooks(databaseAt(database.url), Date.now())).find(
      ({ programId }) => programId === world.programId,
    );
  expect(await late()).toMatchObject({ isLate: true });
  for (let i = 0; i < 3; i += 1) await step(() => 500);
  expect([sent, await deliveries()]).toEqual([[expect.stringMatching(/^evt_example_/)], [[1, false]]]);
  expect(await late()).toMatchObject({ isLate: false });
  pass(dayMs);
  await step(() => 204);
  await step(() => 204);
  expect(sent.slice(2)).toEqual([eventId(1)]);
  expect(await row()).toMatchObject({ status: "active", proved_at: expect.any(Number) });
});

test("a program has at most one running replay at a time, even if it has several webhooks", async () => {
  const { tell, step, sent, replay, refusalOfReplay, another } = await openWebhook();
  const other = await another();
  for (let i = 0; i < 3; i += 1) await tell();
  await step(() => 200);
  sent.length = 0;
  await replay(1, 2);
  const refused: unknown[] = [];
  await step(async () => {
    if (refused.length === 0) refused.push(await refusalOfReplay(3, 3), await refusalOfReplay(1, 1, other));
    return 200;
  });
  expect(refused).toEqual(["too_many_replays", "too_many_replays"]);
  expect(sent).toHaveLength(2);
  await replay(3, 3);
  await step(() => 200);
  expect(sent).toHaveLength(3);
});

test("a webhook's address gets only an example event until it responds with 2xx, and then gets the waiting events", async () => {
  const { world, webhookId, tell, step, sent, row, deliveries, pass, update, eventId, refusalOfReplay, example } =
    await openUnproved();
  const isExample = expect.stringMatching(/^evt_example_/);
  for (let i = 0; i < 2; i += 1) await tell();
  for (let i = 0; i < 3; i += 1) await step(() => 500);
  expect([sent, await deliveries()]).toEqual([[isExample], [[1, false]]]);
  for (let i = 0; i < 12; i += 1) {
    pass(dayMs + 1);
    await step(() => 500);
  }
  expect([sent.length, await deliveries()]).toEqual([10, [[10, true]]]);
  // When the example fails for the last time, the webhook is disabled. It sends another example once it is enabled.
  expect(await row()).toMatchObject({ status: "disabled", disabled_by: "failures", proved_at: null, failures: 10 });
  await update({ status: "active" });
  expect(await row()).toMatchObject({ status: "active", failing_since: null, failures: 0 });
  expect(await refusalOfReplay(1, 1)).toBe("webhook_unproved");
  await tell();
  sent.length = 0;
  await step(() => 500);
  expect(sent).toEqual([isExample]);
  for (let i = 0; i < 3; i += 1) await example();
  expect((await deliveries()).filter(([, isFailed]) => !isFailed)).toEqual([[0, false]]);
  await step(() => 204);
  expect(await row()).toMatchObject({ proved_at: expect.any(Number), failures: 0 });
  sent.length = 0;
  for (let i = 0; i < 3; i += 1) await step(() => 200);
  // The first two events were in the feed before the webhook was disabled. The last one is from after it was enabled.
  expect(sent.toSorted()).toEqual([eventId(1), eventId(2), eventId(4)]);

  await world.write(`update webhooks set failing_since = 1, failures = 3 where id = ${webhookId}`);
  await tell();
  await step(() => 500);
  sent.length = 0;
  await update({ url: "https://shop.example/other" });
  pass(dayMs);
  await step(() => 500);
  expect([sent, (await row())?.proved_at]).toEqual([[isExample], null]);
  await update({ description: "the same address" });
  pass(dayMs);
  await step(() => 200);
  await step(() => 200);
  expect([sent.length, await deliveries()]).toEqual([3, [[10, true]]]);
});

test("delivery attempts that began before a webhook was enabled again or got another address don't disable the webhook", async () => {
  const { world, webhookId, tell, step, update, row } = await openWebhook();
  const isFailing = `update webhooks set failing_since = 1, failures = 30 where id = ${webhookId}`;
  await tell();
  await world.write(isFailing);
  await step(async () => {
    await update({ status: "disabled" });
    await update({ status: "active" });
    return 500;
  });
  expect(await row()).toMatchObject({ status: "active", failures: 1 });

  await tell();
  await world.write(isFailing);
  await step(async () => {
    await update({ url: "https://shop.example/right" });
    return 500;
  });
  expect(await row()).toMatchObject({ status: "active" });
});

test("a webhook shows who disabled it, and when", async () => {
  const { world, webhookId, tell, step, update, row } = await openWebhook();
  expect(await row()).toMatchObject({ status: "active", disabled_by: null, disabled_at: null });
  await update({ status: "disabled" });
  expect(await row()).toMatchObject({ disabled_by: "member", disabled_at: expect.any(Number) });
  await update({ status: "active" });
  await tell();
  await world.write(`update webhooks set failing_since = 1, failures = 30 where id = ${webhookId}`);
  await step(() => 500);
  expect(await row()).toMatchObject({ status: "disabled", disabled_by: "failures", disabled_at: expect.any(Number) });
  await update({ status: "active" });
  expect(await row()).toMatchObject({ disabled_by: null, disabled_at: null });
});

test("a retry of an event that the feed no longer contains isn't sent", async () => {
  const { world, tell, step, update, pass, sent, deliveries, row } = await openWebhook();
  await tell();
  await step(() => 500);
  await update({ status: "disabled" });
  pass(40 * dayMs);
  await world.write(`delete from events where program_id = ${world.programId} and type = 'partner.applied'`);
  await update({ status: "active" });
  sent.length = 0;
  await step(() => 200);
  expect([sent, await deliveries()]).toEqual([[], [[2, true]]]);
  expect(await row()).toMatchObject({ failures: 0 });
});

test("events for webhooks of an archived program don't count as late", async () => {
  const { world, webhookId, tell } = await openWebhook();
  await tell();
  await world.write(
    `update webhooks set status = 'disabled', disabled_by = 'member', disabled_at = 1 where id <> ${webhookId}`,
  );
  await world.write(`update programs set archived_at = 5 where id = ${world.programId}`);
  expect((await readWebhookFigures(databaseAt(database.url))).oldestAt).toBeUndefined();
});

test("an event whose delivery hangs delays no other event and no retry, and only this event is sent again after a crash", {
  tags: "soak",
}, async () => {
  const { tell, step, pass, sent, deliveries, eventId } = await openWebhook();
  for (let i = 0; i < 3; i += 1) await tell();
  const hanging = Promise.withResolvers<number>();
  const underWay = await step((id) => (id === eventId(1) ? hanging.promise : 200));
  expect(underWay).toHaveLength(1);
  expect(sent.toSorted()).toEqual([1, 2, 3].map(eventId));
  expect(await deliveries()).toEqual([[0, false]]);
  await tell();
  await step(() => 200);
  expect(sent.at(-1)).toBe(eventId(4));
  hanging.resolve(500);
  await Promise.all(underWay);
  expect(await deliveries()).toEqual([[1, false]]);

  pass(6_000);
  const again = await step(() => new Promise(() => undefined));
  expect([again.length, await deliveries()]).toEqual([1, [[1, false]]]);
  await step(() => 200);
  expect(sent).toHaveLength(5);
  // The sender's process has ended, so no process records the attempt's result.
  pass(31_000);
  await step(() => 200);
  expect([sent.at(-1), await deliveries()]).toEqual([eventId(1), []]);
});
