import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { noTerms } from "#domain/commission.ts";
import { hashProgramKey, mintProgramKey } from "#domain/program-key.ts";
import type { Loop } from "#engine/loop.ts";
import type { Task } from "#engine/task.ts";
import type { Spill, SpillStorage } from "#ledger/spill.ts";
import { checkKey } from "#operations/check-key.ts";
import { type ClickCall, recordClick } from "#operations/track/record-click.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { clickCall } from "../support/click-calls.ts";
import { instantSleep } from "../support/instant-sleep.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase({ engine: "sqld" });

const now = Date.now();
const clock = { now: () => now, sleep: instantSleep, random: () => 0.5 };
let world: World;
let spill: Spill;
let loop: Loop;
let ledger: ReturnType<typeof ownLedger>;
let storage: SpillStorage;

/** The Ledger has its own storage and has cached a world's settings. */
beforeEach(async () => {
  own.proxy.heal();
  world = await createWorld(own.server.url, { partners: [{}, {}], keys: [{}, { retiresAt: now - 1_000 }] });
  ledger = ownLedger(own.proxy.url, clock);
  ({ spill, loop, storage } = ledger);
  expect(await outcomeOf(submit(click()))).toBe("done");
  expect(await outcomeOf(submit(click({ programId: null })))).toBe("done");
});

const call = () => ({ operationId: randomBytes(8).toString("hex"), at: now });

const click =
  (fields?: Partial<ClickCall>) =>
  (arrivedAt: number): Task =>
    ledger.taskOf(recordClick, clickCall(world, now, fields), arrivedAt);

const presented = (key = "") => ({ programId: world.programId, hash: hashProgramKey(key), scopes: ["track"] }) as const;
const backdated = (key: string | undefined) => click({ occurredAt: daysAgo(29), key: presented(key) });
const keyCheck = (arrivedAt: number): Task =>
  ledger.taskOf(checkKey, { ...call(), kind: "key", key: presented(world.key) }, arrivedAt);

const kinds: Readonly<Record<string, () => (arrivedAt: number) => Task>> = {
  click: () => click(),
  "click without program": () => click({ programId: null }),
  "test click": () => click({ isTest: true }),
  "earlier click, good key": () => backdated(world.key),
  "earlier click, made-up key": () => backdated(mintProgramKey(world.programId, randomBytes(32))),
  "earlier click, retired key": () => backdated(world.keys[1]),
  "key check": () => keyCheck,
};

function submit(make: (arrivedAt: number) => Task, arrivedAt = now): Task {
  const task = make(arrivedAt);
  loop.submit(task);
  return task;
}

/** Returns a refusal's code, "kept" if the Ledger's own storage contains the click, or "done". */
async function outcomeOf(task: Task): Promise<string> {
  const outcome = await task.outcome.catch(() => undefined);
  if (outcome === undefined) return "failed";
  if (!outcome.ok) return outcome.refusal.code;
  const answer = outcome.answer as { readonly clickId?: string } | undefined;
  return spill.oldest(10_000).some(({ click }) => click.clickId === answer?.clickId) ? "kept" : "done";
}

/** Submits one call of each kind concurrently. */
async function outcomes(arrivedAt?: number): Promise<Readonly<Record<string, string>>> {
  const tasks = Object.entries(kinds).map(([kind, make]) => [kind, submit(make(), arrivedAt)] as const);
  return Object.fromEntries(await Promise.all(tasks.map(async ([kind, task]) => [kind, await outcomeOf(task)])));
}

const every = (outcome: string) => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, outcome]));
const onlyClicksKept = { ...every("unavailable"), click: "kept" };
/** Refused without a request to the database, because the Ledger has cached the program's key hashes. */
const wrongKeys = { "earlier click, made-up key": "invalid_key", "earlier click, retired key": "key_retired" };
const storedClicks = async () =>
  (await world.rows("select id from clicks where program_id = ?", world.programId)).length;

describe("the Ledger when it can't use the database", () => {
  it("while the database is unreachable, the Ledger accepts only live clicks with a program id and without an API key", async () => {
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("kept");
    expect(await outcomes()).toEqual(onlyClicksKept);
    expect(await storedClicks()).toBe(2);
  });

  it("of calls that have waited too long to be processed, the Ledger accepts only live clicks with a program id and without an API key", async () => {
    expect(await outcomes(now - 10_000)).toEqual({ ...onlyClicksKept, ...wrongKeys });
  });

  it.each(sampled(Object.entries({ ...onlyClicksKept, ...wrongKeys, "key check": "done" }), 4))(
    "if a batch of calls finds the database unreachable, the Ledger accepts only its live clicks with a program id and without a key: %s, %s",
    async (kind, expected) => {
      own.proxy.inject({ kind: "refuse" });
      expect(await outcomeOf(submit(kinds[kind]?.() ?? keyCheck))).toBe(expected);
    },
  );

  it("after a batch of calls has found the database unreachable, the Ledger accepts, of the waiting calls, only live clicks with a program id and without an API key", async () => {
    own.proxy.inject({ kind: "refuse" });
    submit(click());
    expect(await outcomes()).toEqual({ ...onlyClicksKept, ...wrongKeys });
    expect(await storedClicks()).toBe(2);
  });

  it("once another process has become the database's writer, the Ledger accepts no click", async () => {
    await world.change();
    expect(await outcomes()).toEqual({ ...every("failed"), ...wrongKeys });
    expect(spill.isEmpty).toBe(true);
  });
});

describe("links of an archived program while the database is unreachable", () => {
  const changeStatus = async (status: "active" | "archived") => {
    const { programId } = world;
    const change = { ...call(), kind: "update-program", programId, actorId: "somebody", isOwner: true } as const;
    const task = ledger.changeTask({ ...change, changes: { status } }, now);
    loop.submit(task);
    expect(await task.outcome).toMatchObject({ ok: true });
  };

  it("while the database is unreachable, links of an archived program accept no click, even if the Ledger hasn't read the program since it was archived", async () => {
    for (const hasSeen of [false, true]) {
      await changeStatus("archived");
      if (hasSeen) expect(await outcomeOf(submit(click()))).toBe("link_not_found");
      own.proxy.inject({ kind: "refuse" });
      expect(await outcomeOf(submit(click({ code: "nobody" })))).toBe("unavailable");
      expect(await outcomeOf(submit(click()))).toBe("unavailable");
      expect(spill.isEmpty).toBe(true);
      own.proxy.heal();
      await loop.maintain();
      await changeStatus("active");
    }
    expect(await outcomeOf(submit(click()))).toBe("done");
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("kept");
  });

  it("clicks spilled during an outage, before their program was archived, are flushed to the database afterwards", async () => {
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("kept");
    own.proxy.heal();
    await world.write({ sql: "update programs set archived_at = ? where id = ?", args: [now, world.programId] });
    await loop.maintain();
    await expect.poll(storedClicks).toBe(3);
    await expect.poll(() => spill.isEmpty).toBe(true);
  });
});

it("when too many clicks of one program wait, calls that don't count as this program's clicks are still processed", async () => {
  own.proxy.inject({ kind: "late", ms: 300 }, { only: "writes", times: 1 });
  const ahead = Array.from({ length: 1_001 }, () => submit(click()));
  const others = { "click without program": "done", "key check": "done" };
  expect(await outcomes()).toEqual({ ...onlyClicksKept, ...wrongKeys, ...others });
  expect(new Set(await Promise.all(ahead.map(outcomeOf)))).toEqual(new Set(["done"]));
});

const tooLarge = JSON.stringify({ message: "no", code: "RESPONSE_TOO_LARGE" });

it("after one of several calls that are decided one by one finds the database unreachable, the calls behind it aren't tried", async () => {
  own.proxy.inject({ kind: "late", ms: 100 }, { only: "writes", times: 1 });
  // The fault includes the writer's attempts and one probe of the database.
  own.proxy.inject({ kind: "refuse" }, { only: "writes", after: 1, times: 9 });
  own.proxy.inject({ kind: "answer", status: 400, body: tooLarge }, { only: "reads", times: 1 });
  submit(click());
  const tasks = [click({ code: "nobody" }), click(), click(), backdated(world.key)].map((make) => submit(make));
  expect(await Promise.all(tasks.map(outcomeOf))).toEqual(["link_not_found", "kept", "kept", "unavailable"]);
});

it("the Ledger also checks the keys of calls that it decides one by one after an unclear error", async () => {
  own.proxy.inject({ kind: "late", ms: 100 }, { only: "writes", times: 1 });
  own.proxy.inject({ kind: "answer", status: 400, body: tooLarge }, { only: "reads", times: 1 });
  submit(click());
  const unknown = submit(click({ code: "nobody" }));
  expect(await outcomes()).toEqual({ ...every("done"), ...wrongKeys });
  expect(await outcomeOf(unknown)).toBe("link_not_found");
  expect(own.proxy.counts.reads).toBeGreaterThan(0);
});

describe("the Ledger with cached links and an unreachable database", () => {
  const other = () => click({ code: world.partners[1]?.code ?? null });
  const ofMember = () => ({ ...call(), programId: world.programId, actorId: "somebody" });
  const pause = () =>
    ledger.changeTask(
      { ...ofMember(), kind: "update-partner", partnerId: world.partner.id, changes: { status: "paused" } },
      now,
    );
  const changes: Readonly<Record<string, () => Task>> = {
    "of the program": () =>
      ledger.changeTask({ ...ofMember(), kind: "update-program", isOwner: true, changes: { name: "Renamed" } }, now),
    "of a partner": () =>
      ledger.changeTask(
        { ...ofMember(), kind: "update-partner", partnerId: world.partner.id, changes: { name: "Renamed" } },
        now,
      ),
    "of its partners": () =>
      ledger.changeTask(
        {
          ...ofMember(),
          ...{
            kind: "create-partner",
            name: "Anna",
            email: null,
            externalId: null,
            code: "anna",
            destinationUrl: null,
          },
        },
        now,
      ),
    "of its policy": () =>
      ledger.changeTask(
        {
          ...ofMember(),
          kind: "set-policy",
          policy: {
            partnerId: null,
            ...noTerms,
            type: "percent",
            rateBps: 500,
            scope: "lifetime",
            holdDays: 15,
          },
        },
        now,
      ),
    "of its key": () =>
      ledger.changeTask(
        {
          ...ofMember(),
          kind: "rotate-key",
          keyId: null,
          graceHours: null,
          secret: randomBytes(32).toString("base64url"),
        },
        now,
      ),
    "for its verification": () =>
      ledger.changeTask(
        { ...call(), kind: "begin-verification", isTest: true, key: { programId: world.programId, vouched: true } },
        now,
      ),
  };
  beforeEach(async () => {
    expect(await outcomeOf(submit(other()))).toBe("done");
  });

  it.each(sampled(Object.entries(changes), 3))(
    "with cached links and an unreachable database, the Ledger accepts clicks after a change %s",
    async (_what, change) => {
      expect(await outcomeOf(submit(change))).toBe("done");
      own.proxy.inject({ kind: "refuse" });
      expect(await outcomeOf(submit(click()))).toBe("kept");
      expect(await outcomeOf(submit(other()))).toBe("kept");
    },
  );

  it.each(sampled(Object.entries(changes), 2))(
    "with cached links and an unreachable database, the Ledger accepts clicks when the database becomes unreachable during a change %s",
    async (_what, change) => {
      own.proxy.inject({ kind: "refuse" }, { only: "writes" });
      expect(await outcomeOf(submit(change))).toBe("unavailable");
      expect(await outcomeOf(submit(click()))).toBe("kept");
      expect(await outcomeOf(submit(other()))).toBe("kept");
    },
  );

  it("with cached links and an unreachable database, the Ledger applies a change whose response was lost when it decides clicks", async () => {
    own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
    expect(await outcomeOf(submit(pause))).toBe("done");
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(other()))).toBe("kept");
    expect(await submit(click()).outcome).toMatchObject({ ok: true, answer: { recorded: false } });
  });

  it("with cached links and an unreachable database, the Ledger accepts clicks after its process restarts", async () => {
    ledger = ownLedger(own.proxy.url, clock, storage);
    ({ spill, loop } = ledger);
    expect(await outcomeOf(submit(other()))).toBe("done");
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("kept");
  });

  it("with cached links and an unreachable database, the Ledger accepts no click of a link that another writer may have changed", async () => {
    await world.change({ sql: "update partners set status = 'paused' where id = ?", args: [world.partner.id] });
    ledger = ownLedger(own.proxy.url, clock, storage);
    ({ spill, loop } = ledger);
    expect(await outcomeOf(submit(other()))).toBe("done");
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("unavailable");
    expect(await outcomeOf(submit(other()))).toBe("kept");
  });

  it("with cached links and an unreachable database, the Ledger accepts no click of a link whose change has an unknown outcome, once the database was reachable again", async () => {
    own.proxy.inject({ kind: "refuse" }, { only: "writes" });
    own.proxy.inject({ kind: "cut" }, { only: "writes", times: 1 });
    expect(await outcomeOf(submit(pause))).toBe("unavailable");
    expect(await outcomeOf(submit(click()))).toBe("kept");
    own.proxy.heal();
    await loop.maintain();
    await expect.poll(() => spill.isEmpty).toBe(true);
    own.proxy.inject({ kind: "refuse" });
    expect(await outcomeOf(submit(click()))).toBe("unavailable");
  });
});
