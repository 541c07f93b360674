import { appendFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { World, WorldSettings } from "../../harness/world.ts";
import { isWhole } from "../support/breadth.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { at, daysAgo, minute } from "../support/program-fixture.ts";
import { command } from "./command.ts";
import { replayFiles, summaryOf } from "./replay-files.ts";

const cli = command();
const own = isolatedService();
const past = replayFiles(cli);

async function openWorld(settings?: WorldSettings) {
  const world = await own.world(settings);
  const environment = { TRIBUTARY_API_KEY: world.key, TRIBUTARY_URL: own.service.url };
  const run = async (args: string[]) => {
    const ended = await cli.run(args, environment);
    expect(ended.out + ended.err).not.toContain(world.key);
    return { ...ended, summary: summaryOf(ended) };
  };
  return { world, environment, run };
}

/** The events of one customer, 20 days ago. They have only the ids that a real file would have. */
const customer = (world: World, i: number | string, hours = 0) => {
  const when = (step: number) => ({ occurred_at: at(daysAgo(20, (hours * 60 + step) * minute)) });
  const key = { customer_key: `customer-${i}` };
  return [
    { type: "click", ref: `c${i}`, affiliate_url: world.partner.landingUrl, session_id: `s${i}`, ...when(1) },
    { type: "lead", click_ref: `c${i}`, ...key, email: `u${i}@shop.example`, ...when(2) },
    { type: "sale", transaction_id: `t${i}`, ...key, amount_cents: 5_000, currency: "EUR", ...when(3) },
    { type: "sale", ...key, amount_cents: 1_000, ...when(4) },
    { type: "refund", transaction_id: `t${i}`, refund_amount_cents: 2_000, ...when(5) },
  ];
};

async function countsOf(world: World) {
  const count = async (sql: string) => Number(Object.values((await world.rows(sql, world.programId))[0] ?? {})[0]);
  return {
    clicks: await count("select count(*) from clicks where program_id = ?"),
    leads: await count("select count(*) from leads where program_id = ?"),
    sales: await count("select count(*) from sales where program_id = ?"),
    refunds: await count("select count(*) from refunds where program_id = ?"),
    attributed: await count("select count(*) from sales where program_id = ? and partner_id is not null"),
    commission: await count("select sum(amount_cents) from commissions where program_id = ?"),
  };
}

test("a replay that is killed twice records exactly the lines of the file", async () => {
  const customers = isWhole ? 200 : 50;
  const events = 5 * customers;
  const { world, environment, run } = await openWorld();
  // The lines of five customers at a time are interleaved.
  const lines = Array.from({ length: customers / 5 }, (_, group) => {
    const five = [0, 1, 2, 3, 4].map((i) => customer(world, group * 5 + i));
    return [0, 1, 2, 3, 4].flatMap((step) => five.flatMap((steps) => steps.slice(step, step + 1)));
  }).flat();
  const { args, journal, journalled, rows, file } = await past(lines);
  const results = `${file}.results`;
  const all = args("--results", results, "--concurrency", "16");

  for (const killedAt of [1.4 * customers, 3 * customers]) {
    const running = cli.start(all, environment);
    await eventually(journalled, (count) => count > killedAt, 60_000);
    running.kill("SIGKILL");
    expect((await running.ended).code).toBe(null);
    // Simulates files whose last line was cut off by a kill.
    await appendFile(journal, '{"id":"torn","li');
    await appendFile(results, '{"line":');
  }
  const { code, summary } = await run(all);
  expect(summary).toMatchObject({ lines: events, conflict: 0, refused: 0, problems: [] });
  expect(summary.done_before).toBeGreaterThan(3 * customers);
  expect(code).toBe(0);
  const exact = {
    clicks: customers,
    leads: customers,
    sales: 2 * customers,
    refunds: customers,
    attributed: 2 * customers,
    // The commissions are 20 percent of 50.00 less 20.00, and of 10.00.
    commission: customers * (600 + 200),
  };
  expect(await countsOf(world)).toEqual(exact);
  expect(await world.audit()).toEqual([]);
  const answered = (await rows(results)).map(({ line }) => line);
  expect(new Set(answered).size).toBe(events);

  // All lines were sent. Without the journal, replay sends all of them again, and the service deduplicates them.
  expect((await run(all)).summary).toMatchObject({ lines: events, done_before: events });
  expect(await rows(results)).toHaveLength(answered.length);
  await rm(journal);
  const again = await run(args("--concurrency", "16"));
  expect(again.summary).toMatchObject({ ok: customers, duplicate: 4 * customers, conflict: 0, refused: 0 });
  expect(await countsOf(world)).toEqual(exact);
  expect(await world.audit()).toEqual([]);
});

test("replay reports the outcome of each line, and sends failed lines again once their cause is fixed", {
  tags: "soak",
}, async () => {
  const { world, run } = await openWorld({ partners: [{}, { status: "paused" }] });
  const [, paused] = world.partners;
  const [click, lead, sale] = customer(world, "a");
  const lines = [
    click ?? "",
    lead ?? "",
    sale ?? "",
    sale ?? "",
    { ...sale, amount_cents: 7_000 },
    { type: "refund", transaction_id: "later", occurred_at: at(daysAgo(1)) },
    '{"type":"sale"',
    { type: "payment" },
    { type: "lead", customer_key: "b", click_ref: "nobody" },
    { ...click, ref: "p", affiliate_url: paused?.landingUrl },
    { type: "lead", customer_key: "p", click_ref: "p" },
    { type: "sale", customer_key: "a", amount_cents: 0 },
    "",
    { type: "refund", transaction_id: "ta", click_ref: "ca" },
  ];
  const { args, write, rows, file, journal } = await past(lines);
  const results = `${file}.results`;
  const { code, summary } = await run(args("--results", results));
  expect(code).toBe(1);
  expect(summary).toMatchObject({ lines: 13, ok: 3, duplicate: 1, conflict: 1, refused: 8, done_before: 0 });
  expect([...summary.problems].sort((a, b) => a.line - b.line)).toEqual([
    { line: 5, outcome: "conflict", message: expect.stringContaining("It differs in amount_cents.") },
    { line: 6, outcome: "refused", message: "Sale not found for transaction_id" },
    { line: 7, outcome: "refused", message: "not a JSON object in UTF-8" },
    { line: 8, outcome: "refused", message: "type must be one of click, lead, sale, refund" },
    { line: 9, outcome: "refused", message: 'click_ref "nobody" names no earlier click' },
    { line: 10, outcome: "refused", message: "Referral link is inactive" },
    { line: 11, outcome: "refused", message: 'click_ref "p" was not recorded' },
    { line: 12, outcome: "refused", message: "amount_cents is required and must be a positive integer" },
    { line: 14, outcome: "refused", message: "a refund can't have click_ref" },
  ]);
  const answers = await rows(results);
  expect(answers).toHaveLength(13);
  expect(answers.find(({ line }) => line === 3)).toMatchObject({
    type: "sale",
    outcome: "ok",
    status: 200,
    answer: { attributed: true, partner_code: world.partner.code },
  });

  const mended = [
    { ...sale, transaction_id: "later" },
    ...lines.slice(0, 4),
    ...lines.slice(5, 6),
    ...customer(world, "d"),
  ];
  await write(mended);
  const human = await cli.run(["replay", file], { TRIBUTARY_API_KEY: world.key, TRIBUTARY_URL: own.service.url });
  expect(human.out).toMatch(/all +10 +1 +0 +0\n/);
  expect(human.out).toContain("4 of them were completed before this run.");
  expect(human.code).toBe(0);
  expect(await countsOf(world)).toMatchObject({ clicks: 2, leads: 2, sales: 4, refunds: 2 });
  expect(await world.audit()).toEqual([]);

  // The journal belongs to this program, so replay refuses it for another program.
  const other = await openWorld();
  const destination = (id: number) => `${own.service.url}/, program ${id}, live book`;
  expect(await other.run(args())).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `is the journal of a replay to ${destination(world.programId)}. This replay goes to ${destination(other.world.programId)}.`,
    ),
  });
  expect(await run(args("--state", file))).toMatchObject({ code: 2 });
  expect(await run(args("--state", results))).toMatchObject({
    code: 2,
    err: expect.stringContaining("is not the journal of a replay."),
  });
  expect(await run(args("--state", `${journal}2`, "--results", results))).toMatchObject({ code: 2 });
  expect(await rows(file)).toHaveLength(mended.length);
});

test("replay records two equal lines without ids as two events", async () => {
  const { world, run } = await openWorld();
  const sale = { type: "sale", customer_key: "a", amount_cents: 1_000, occurred_at: at(daysAgo(3)) };
  const { args, write } = await past([sale, sale]);
  expect((await run(args())).summary).toMatchObject({ ok: 2 });
  await write([{ type: "lead", customer_key: "a" }, sale, sale, sale]);
  expect((await run(args())).summary).toMatchObject({ ok: 4, done_before: 2 });
  expect(await countsOf(world)).toMatchObject({ leads: 1, sales: 3 });
});

test("--test replays into the test book, whatever the lines contain", { tags: "soak" }, async () => {
  const { world, run } = await openWorld();
  const [click, ...rest] = customer(world, "a");
  const { args } = await past([{ ...click, additional_data: { test_mode: false, note: "kept" } }, ...rest]);
  expect((await run(args("--test"))).summary).toMatchObject({ ok: 5 });
  const books = await world.rows("select distinct is_test from sales where program_id = ?", world.programId);
  expect(books).toMatchObject([{ is_test: 1 }]);
});

test("a rehearsal with --test and the real replay have separate journals", { tags: "soak" }, async () => {
  const { world, run } = await openWorld();
  const { args, file, journal, rows } = await past(customer(world, "a"));
  expect((await run(args("--test"))).summary).toMatchObject({ ok: 5 });
  expect((await run(args())).summary).toMatchObject({ ok: 5, done_before: 0 });
  expect((await run(args("--test"))).summary).toMatchObject({ done_before: 5 });
  expect((await run(args())).summary).toMatchObject({ done_before: 5 });
  expect(await rows(`${file}.test.progress`)).toHaveLength(6);
  expect(await rows(journal)).toHaveLength(6);
  const wrong = await run(args("--test", "--state", journal));
  expect(wrong.err).toMatch(/is the journal of a replay to .*, live book\. This replay goes to .*, test book\./);
});

test("a replay of live events refuses a test event", async () => {
  const { world, run } = await openWorld();
  const sale = { type: "sale", amount_cents: 100, transaction_id: "t", customer_key: "u" };
  const { args, file } = await past([]);
  await writeFile(file, JSON.stringify({ ...sale, additional_data: { test_mode: true } }));
  expect((await run(args())).summary).toMatchObject({ ok: 0, refused: 1 });
  expect(await world.rows("select id from sales where program_id = ?", world.programId)).toEqual([]);
});

test("replay refuses invalid UTF-8, because repairing it would change a key", { tags: "soak" }, async () => {
  const { world, run } = await openWorld();
  const { args, file } = await past([]);
  const line = `${JSON.stringify({ type: "lead", customer_key: "M\u00fcller" })}\r\n`;
  await writeFile(file, Buffer.concat([Buffer.from(line, "latin1"), Buffer.from(`\ufeff${line}`, "utf8")]));
  expect((await run(args())).summary).toMatchObject({ ok: 1, refused: 1 });
  expect(await world.rows("select customer_key from customers where program_id = ?", world.programId)).toMatchObject([
    { customer_key: "M\u00fcller" },
  ]);
});

test("replay waits for an unreachable service, and an event whose response was lost is recorded once", {
  tags: "soak",
}, async () => {
  const { world, environment } = await openWorld();
  const lines = Array.from({ length: 60 }, (_, i) => customer(world, i)).flat();
  const { args, journalled } = await past(lines);
  const running = cli.start(args(), environment);
  await eventually(journalled, (count) => count > 60);
  await own.service.kill();
  await own.service.restart();
  const { code, out, err } = await running.ended;
  expect(err).toContain("Waiting");
  expect(JSON.parse(out)).toMatchObject({ lines: 300, refused: 0, conflict: 0 });
  expect(code).toBe(0);
  expect(await countsOf(world)).toMatchObject({ clicks: 60, leads: 60, sales: 120, refunds: 60, attributed: 120 });
  expect(await world.audit()).toEqual([]);
});
