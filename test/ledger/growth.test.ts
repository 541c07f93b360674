import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { smallChangeBytes } from "#domain/growth.ts";
import { type Growing, Growth } from "#ledger/growth.ts";
import { importCustomers } from "#operations/import/import-customers.ts";
import { importPartners } from "#operations/import/import-partners.ts";
import { createTerms } from "#operations/join/create-terms.ts";
import { createAdjustment } from "#operations/manage/create-adjustment.ts";
import { createPayout } from "#operations/payouts/create-payout.ts";
import { finalizePayout } from "#operations/payouts/finalize-payout.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { testClickKeys, testSecrets } from "../../harness/service.ts";
import { createWorld } from "../../harness/world.ts";
import { nodeLedger } from "../../scripts/sample/node-ledger.ts";
import { asksNothing } from "../support/payout-calls.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.dispose());

const noon = Date.UTC(2026, 10, 29, 12);
const dayMs = 86_400_000;
const change = { programId: 1, actorId: "ada", bytes: 600 + smallChangeBytes, at: noon };

test("a program and each of its users may write a limited volume per day, and the limit never blocks small changes", () => {
  const growth = new Growth({ ofProgram: 4_000, ofAuthor: 8_000 });
  const refused = (more: object = {}) => growth.refusalOf({ ...change, ...more });
  expect([refused(), refused()]).toEqual([undefined, undefined]);
  expect(refused()).toEqual({ code: "rate_limited", retryAfterSeconds: 12 * 3_600 });
  expect(refused({ bytes: smallChangeBytes })).toBeUndefined();
  expect(refused({ actorId: "bob" })).toBeDefined();
  expect([2, 3, 4].map((programId) => refused({ programId })?.code)).toEqual([undefined, undefined, "rate_limited"]);
  expect(refused({ programId: 3, actorId: "bob" })).toBeUndefined();
  expect(refused({ programId: 4, actorId: undefined })).toBeUndefined();
  expect(refused({ at: noon + dayMs })).toBeUndefined();
});

test("a member's writes through the Ledger count toward the daily volume, and a write above it stores nothing", async () => {
  const world = await createWorld(database.url, { partners: [{}] });
  const { programId } = world;
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve(), random: () => 0.5 };
  const ledger = nodeLedger({
    ...{ database: databaseAt(database.url), clock, clickKeys: testClickKeys, hashSecret: testSecrets.HASH_SECRET },
    growth: new Growth({ ofProgram: 100_000, ofAuthor: 1_000_000 }),
  });
  const call = { programId, actorId: "somebody", kind: "create-terms" } as const;
  const create = async (text: string) => {
    const at = Date.now();
    const by = { ...call, operationId: randomBytes(8).toString("hex"), at, text };
    return ledger.submit(ledger.taskOf(createTerms, by, at)).outcome;
  };
  const outcomes: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    const outcome = await create(`${i} ${"€".repeat(13_000)}`);
    outcomes.push(outcome.ok ? "created" : outcome.refusal.code);
  }
  expect(outcomes).toEqual(["created", "created", "rate_limited", "rate_limited"]);
  const [stored] = await world.rows("select count(*) as n from partner_terms where program_id = ?", programId);
  expect(Number(stored?.n)).toBe(2);
  expect(await create("short")).toMatchObject({ ok: true });
});

test("a program that has used up its daily volume can still pay its partners", { tags: "finding" }, async () => {
  const world = await createWorld(database.url, { partners: [{}, {}, {}] });
  const { programId } = world;
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve(), random: () => 0.5 };
  const growth = new Growth({ ofProgram: 1_000, ofAuthor: 1_000 });
  const ledger = nodeLedger({
    ...{ database: databaseAt(database.url), clock, clickKeys: testClickKeys, hashSecret: testSecrets.HASH_SECRET },
    growth,
  });
  const by = () => ({ operationId: randomBytes(8).toString("hex"), at: Date.now(), programId, actorId: "owner" });
  growth.refusalOf({ programId, actorId: "owner", bytes: 1_000, at: Date.now() });
  for (const { id: partnerId } of world.partners) {
    const texts = { reason: "r".repeat(500), partnerNote: "n".repeat(500), reference: `bonus ${partnerId}` };
    const adjust = {
      ...by(),
      kind: "create-adjustment",
      partnerId,
      amountCents: 100,
      currency: "EUR",
      ...texts,
    } as const;
    expect(await ledger.submit(ledger.taskOf(createAdjustment, adjust, adjust.at)).outcome).toMatchObject({ ok: true });
  }
  const create = { ...by(), kind: "create-payout", ...asksNothing, currency: "EUR" } as const;
  const draft = await ledger.submit(ledger.taskOf(createPayout, create, create.at)).outcome;
  if (!draft.ok) throw new Error(draft.refusal.code);
  const finalize = { ...by(), kind: "finalize-payout", ...asksNothing, payoutId: draft.answer.payout.id } as const;
  expect(await ledger.submit(ledger.taskOf(finalizePayout, finalize, finalize.at)).outcome).toMatchObject({ ok: true });
});

const word = () => randomBytes(8).toString("hex");
const long = "漢".repeat(230);
const absent = { email: undefined, externalId: undefined, destinationUrl: undefined, group: undefined };
const partnerOf = (more: object = {}) => ({
  ...{ name: "Ann", codes: [word()] as const, status: undefined, payment: undefined, ...absent },
  ...more,
});
const longUrl = `https://shop.example/${"x".repeat(2_000)}`;
const codes = () => [word(), ...Array.from({ length: 19 }, word)] as const;
const customer = { since: undefined, payPast: false, firstSaleAt: undefined };

test.each([
  ["partners with short names", () => partnerOf(), undefined],
  [
    "partners with long names and URLs",
    () => partnerOf({ name: long, externalId: word() + long, destinationUrl: longUrl }),
    undefined,
  ],
  ["partners with 20 codes", () => partnerOf({ codes: codes(), destinationUrl: longUrl }), undefined],
  ["customers with short keys", undefined, () => ({ ...customer, customerKey: word(), subscriptionId: undefined })],
  [
    "customers with long keys",
    undefined,
    () => ({ ...customer, customerKey: word() + long, subscriptionId: word() + long }),
  ],
] as const)(
  "an import of %s makes the database grow by less than three times its counted volume",
  async (_, partner, ofCustomer) => {
    const world = await createWorld(database.url, { partners: [{}] });
    let counted = 0;
    class Counting extends Growth {
      override refusalOf({ bytes }: Growing): undefined {
        counted += bytes;
      }
    }
    const ledger = nodeLedger({
      ...{
        database: databaseAt(database.url),
        clock: { now: () => Date.now(), sleep: () => Promise.resolve(), random: () => 0.5 },
      },
      ...{ clickKeys: testClickKeys, hashSecret: testSecrets.HASH_SECRET, growth: new Counting() },
    });
    const bytes = async () => Number((await world.rows("select sum(pgsize) as n from dbstat"))[0]?.n);
    const before = await bytes();
    for (let i = 0; i < 3; i += 1) {
      const at = Date.now();
      const by = {
        operationId: word(),
        at,
        programId: world.programId,
        actorId: "ada",
        source: "x",
        isDryRun: false,
      } as const;
      const lines = Array.from({ length: 100 }, (_, place) => ({ line: place + 1 }));
      const task = partner
        ? ledger.taskOf(
            importPartners,
            {
              ...by,
              kind: "import-partners",
              mayUpdate: false,
              rows: lines.map((line) => ({ ...line, ...partner() })),
            },
            at,
          )
        : ledger.taskOf(
            importCustomers,
            {
              ...by,
              kind: "import-customers",
              rows: lines.map((line) => ({ ...line, partnerCode: world.partner.code, ...ofCustomer() })),
            },
            at,
          );
      expect(await ledger.submit(task).outcome).toMatchObject({ ok: true });
    }
    expect((await bytes()) - before).toBeLessThan(3 * counted);
    expect(counted).toBeGreaterThan(100_000);
  },
);
