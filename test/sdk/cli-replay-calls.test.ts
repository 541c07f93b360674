import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { wireFields } from "../../sdk/cli/wire.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { command } from "./command.ts";
import { replayFiles } from "./replay-files.ts";
import { answer, type Behaviour, cut, type Received, refusal, serverThat } from "./server-that.ts";

const cli = command();
const past = replayFiles(cli);

const key = `svc_1_${"k".repeat(43)}`;
const good = answer(200, { success: true });
const leads = (count: number) => Array.from({ length: count }, (_, i) => ({ type: "lead", customer_key: `c${i}` }));
const replayTo = (url: string, args: string[]) => cli.run([...args, "--url", url], { TRIBUTARY_API_KEY: key });
const sent = (calls: readonly Received[]) => calls.map(({ body }) => body.customer_key);

test("replay reports an unknown field name as an error of its line, with a suggestion", async () => {
  const { url, calls } = await serverThat(good);
  const { args } = await past([
    { type: "sale", transaction_id: "t", amount_cents: 1, curency: "USD", occured_at: "2026-09-01T00:00:00Z" },
    { type: "sale", invoiceId: "t", amount: 1, customerExternalId: "u", clickId: "c" },
    { type: "refund", transaction_id: "t", amount: 1 },
    { type: "lead", customer_key: "u", zzz: 1, constructor: 1 },
    { type: "click", affiliate_url: "https://x.example/?aff=a", refferer_url: null },
    '{"type":"lead","customer_key":"u","__proto__":{}}',
    { type: "lead", customer_key: "fine" },
  ]);
  const { code, out } = await replayTo(url, args());
  expect(JSON.parse(out).problems.map(({ message }: { message: string }) => message)).toEqual([
    "curency: did you mean currency?; occured_at: did you mean occurred_at?",
    "invoiceId: did you mean transaction_id?; amount: did you mean amount_cents?; customerExternalId: did you mean customer_key?; clickId: did you mean click_id?",
    "amount: did you mean refund_amount_cents?",
    "zzz is not a field of a lead; constructor is not a field of a lead",
    "refferer_url: did you mean referrer_url?",
    "__proto__ is not a field of a lead",
  ]);
  expect(sent(calls)).toEqual(["fine"]);
  expect(code).toBe(1);
});

test("replay accepts in a line exactly the fields of the endpoint for the line's type", async () => {
  const { paths, components } = JSON.parse(await readFile(join(root, "docs/openapi.json"), "utf8"));
  const described = Object.keys(wireFields).map((kind) => {
    const { $ref } = paths[`/api/v1/track/${kind}`].post.requestBody.content["application/json"].schema;
    return [kind, Object.keys(components.schemas[$ref.split("/").at(-1)].properties).toSorted()];
  });
  expect(Object.entries(wireFields).map(([kind, fields]) => [kind, Object.keys(fields).toSorted()])).toEqual(described);
});

test("replay retries after 429 and 503, with the requested pause", async () => {
  const { url, calls } = await serverThat(
    good,
    refusal(429, "Too many requests.", { "retry-after": "1" }),
    refusal(503, "Away.", { "retry-after": "1" }),
    good,
  );
  const { args } = await past(leads(4));
  const { code, out, err } = await replayTo(url, args("--concurrency", "1"));
  expect(sent(calls)).toEqual(["c0", "c1", "c1", "c1", "c2", "c3"]);
  const [, limited, away, after] = calls.map((call) => call.at);
  expect((away ?? 0) - (limited ?? 0)).toBeGreaterThan(990);
  expect((after ?? 0) - (away ?? 0)).toBeGreaterThan(990);
  expect(err).toBe("Waiting 1 s. Too many requests.\nWaiting 1 s. Away.\n");
  expect(JSON.parse(out)).toMatchObject({ ok: 4 });
  expect(code).toBe(0);
});

test("replay sends the identical body again after a lost connection", async () => {
  const { url, calls } = await serverThat(good, cut, answer(502, "<h1>Bad gateway</h1>"), good);
  const { args } = await past([
    "",
    { type: "click", affiliate_url: "https://x.example/?aff=a" },
    { type: "sale", amount_cents: 5 },
  ]);
  expect((await replayTo(url, args("--concurrency", "1"))).code).toBe(0);
  const [click, first, second, third] = calls.map(({ body }) => body);
  expect(click).toMatchObject({ program_id: 1, event_id: expect.stringMatching(/^replay_[\w-]{22}$/) });
  expect(first).toMatchObject({ transaction_id: expect.stringMatching(/^replay_[\w-]{22}$/) });
  expect([second, third]).toEqual([first, first]);
  expect(calls[0]?.key).toBe(`Bearer ${key}`);
});

test("replay keeps the journal, and exits with 3 at once if the service is unreachable, or after a while if it becomes unreachable", {
  tags: "soak",
}, async () => {
  const { args, journalled } = await past(leads(5));
  expect(await replayTo("http://127.0.0.1:9", args())).toMatchObject({
    code: 3,
    err: expect.stringContaining("Run the same command again"),
  });
  const away = await serverThat(good, good, refusal(503, "Away."));
  const other = await past(leads(5));
  const gone = await replayTo(away.url, other.args("--concurrency", "1", "--give-up-after", "0"));
  expect(gone).toMatchObject({ code: 3, err: expect.stringContaining("Stopped after 2 lines.") });
  expect(await other.journalled()).toBe(2);
  expect(await journalled()).toBe(0);
});

test("replay stops if the key is refused, and doesn't write the refused line to the journal", async () => {
  const { url, calls } = await serverThat(good, refusal(401, "Invalid API token"));
  const { args, journalled } = await past(leads(100));
  const { code, err } = await replayTo(url, args("--concurrency", "1"));
  expect(err).toContain("Invalid API token\n  Compare the key");
  expect(code).toBe(1);
  expect(calls).toHaveLength(2);
  expect(await journalled()).toBe(1);
});

test("replay sends lines of one customer or transaction in order, and others in parallel up to --concurrency", async () => {
  const working = new Set<Received>();
  let most = 0;
  const overlaps: unknown[] = [];
  const isSameLane = (one: Received, other: Received) =>
    ["customer_key", "transaction_id"].some(
      (lane) => one.body[lane] !== undefined && one.body[lane] === other.body[lane],
    );
  const slow: Behaviour = (response, call) => {
    for (const other of working) if (isSameLane(call, other)) overlaps.push([other.body, call.body]);
    working.add(call);
    most = Math.max(most, working.size);
    setTimeout(() => {
      working.delete(call);
      good(response, call);
    }, 10);
  };
  const { url, calls } = await serverThat(slow);
  const lines = Array.from({ length: 4 }, (_, step) =>
    ["a", "b", "c", "d", "e", "f"].flatMap((who) => [
      { type: "sale", customer_key: who, transaction_id: `${who}${step}`, amount_cents: 1, event_name: `${step}` },
      { type: "refund", transaction_id: `${who}${step}`, refund_reason: `${step}` },
    ]),
  ).flat();
  const { args } = await past(lines);
  expect((await replayTo(url, args("--concurrency", "4"))).code).toBe(0);
  expect(calls).toHaveLength(48);
  expect(overlaps).toEqual([]);
  expect(most).toBe(4);
  for (const who of ["a", "b", "c", "d", "e", "f"]) {
    expect(calls.filter(({ body }) => body.customer_key === who).map(({ body }) => body.event_name)).toEqual([
      "0",
      "1",
      "2",
      "3",
    ]);
  }
});

test("replay sends sales that have only a subscription_id after the first sale of this subscription, one after the other", async () => {
  const steps: string[] = [];
  const slow: Behaviour = (response, call) => {
    steps.push(`${call.body.transaction_id} sent`);
    setTimeout(() => {
      steps.push(`${call.body.transaction_id} answered`);
      good(response, call);
    }, 10);
  };
  const { url } = await serverThat(slow);
  const sale = { type: "sale", subscription_id: "s" };
  const { args } = await past([
    { ...sale, transaction_id: "t1", customer_key: "u", click_ids: ["a", "b"] },
    { ...sale, transaction_id: "t2" },
    { ...sale, transaction_id: "t3" },
  ]);
  expect((await replayTo(url, args("--concurrency", "8"))).code).toBe(0);
  expect(steps).toEqual(["t1", "t2", "t3"].flatMap((id) => [`${id} sent`, `${id} answered`]));
});

test("replay sends a refund with all its fields, and adds a refund_id only if the refund has its own amount instead of a total", async () => {
  const { url, calls } = await serverThat(good);
  const refund = { transaction_id: "t", occurred_at: at(daysAgo(1)) };
  const bodies = [
    { ...refund, refunded_total_cents: 500, charge_total_cents: 900 },
    { ...refund, refunded_total_cents: 500, charge_total_cents: 900, refund_id: "ch" },
    { ...refund, refund_id: "ch", cancel: true, refunded_total_cents: 0 },
    { ...refund, refund_id: "re", cancel: true },
  ];
  const { args } = await past(
    [...bodies, { ...refund, refund_amount_cents: 1 }].map((b) => ({ type: "refund", ...b })),
  );
  expect((await replayTo(url, args())).code).toBe(0);
  const [own, ...sentBodies] = calls.map(({ body }) => body).toReversed();
  expect(sentBodies.toReversed()).toEqual(bodies);
  expect(own).toMatchObject({ refund_id: expect.stringMatching(/^replay_[\w-]{22}$/) });
});

test("replay streams a large file", { tags: "soak" }, async () => {
  // Uses few long lines, because the number of lines takes more time than their length.
  const padding = "x".repeat(30_000);
  const count = 2_500;
  const { url, calls } = await serverThat(good);
  const { args } = await past(leads(count).map((line) => ({ ...line, additional_data: { padding } })));
  // Reads a file of 75 MB with a heap of at most half that size.
  const environment = { TRIBUTARY_API_KEY: key, NODE_OPTIONS: "--max-old-space-size=36" };
  const child = cli.start([...args(), "--url", url], environment);
  const { code, out } = await child.ended;
  expect(JSON.parse(out)).toMatchObject({ ok: count });
  expect(code).toBe(0);
  expect(calls).toHaveLength(count);
});
