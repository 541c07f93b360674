import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Event, inOneLine } from "../../sdk/cli/listen/event.ts";
import { type ReadFeed, seqBefore } from "../../sdk/cli/listen/feed.ts";
import { busyPauseMs, pauseAfter } from "../../sdk/cli/listen/pause.ts";
import { verifyWebhook } from "../../sdk/src/webhooks.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { command, type Environment, type Running } from "./command.ts";
import { openShop } from "./command-at-shop.ts";
import { answer, type Behaviour, cut, refusal, serverThat } from "./server-that.ts";

const cli = command();
const secret = `whsec_${Buffer.from("s".repeat(32)).toString("base64")}`;

/** Starts the command. Every test stops it. */
function listen(args: readonly string[], environment: Environment): Running {
  const running = cli.start(["listen", ...args], environment);
  onTestFinished(() => running.kill("SIGKILL"));
  return running;
}

async function stopped(running: Running) {
  running.kill("SIGINT");
  return running.ended;
}

const linesOf = (text: string) => text.split("\n").slice(0, -1);

test("listen prints each event, posts it with a valid signature, and prints on Ctrl-C how to continue", async () => {
  const { shop, environment } = await openShop(cli);
  const receiver = await serverThat(answer(200, {}), answer(500, {}), answer(200, {}));
  const args = [
    "--forward-to",
    receiver.url,
    "--secret",
    secret,
    "--since",
    "1h",
    "--types",
    "lead.recorded,sale.recorded",
  ];
  await shop.lead({ customer_key: "u1", click_id: shop.click(shop.alice) });
  const running = listen(args, environment);
  await expect.poll(running.out).toMatch(/lead\.recorded .*\n$/);
  await shop.sale({ customer_key: "u1", transaction_id: "in_1", amount_cents: 4_900, currency: "EUR" });
  await expect.poll(running.out).toMatch(/sale\.recorded .*\n$/);
  await shop.sale({ customer_key: "u1", transaction_id: "in_2", amount_cents: 4_900, currency: "EUR" });
  await expect.poll(() => receiver.calls.length).toBe(3);
  await expect.poll(running.out).toMatch(/in_2.*\n$/);

  const { code, out, err } = await stopped(running);
  const earned = `customer u1, partner ${shop.alice.code}`;
  expect(
    linesOf(out).map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\d+ {2}/, "").replace(/\b\d+,/, "1,")),
  ).toEqual([
    `lead.recorded  lead 1, ${earned}`,
    `sale.recorded  sale 1, in_1, ${earned}, €49.00`,
    `sale.recorded  sale 1, in_2, ${earned}, €49.00`,
  ]);
  expect(err).toContain(`Forwarding to ${receiver.url}/, signed with ${secret}\n`);
  expect(err).toMatch(/ {2}✓ 200\n {2}✗ not accepted: 500\n {2}✓ 200\n/);
  const events = await Promise.all(receiver.calls.map(({ text, headers }) => verifyWebhook(text, headers, secret)));
  expect(events).toMatchObject([
    { event: { type: "lead.recorded" } },
    { event: { type: "sale.recorded", data: { object: { transactionId: "in_1" } } } },
    { event: { data: { object: { transactionId: "in_2" } } } },
  ]);
  expect(receiver.calls[0]).toMatchObject({ method: "POST", key: "", headers: { "webhook-id": events[0]?.event?.id } });
  const [, after] = /Stopped\. Continue with --after (\d+)\n$/.exec(err) ?? [];
  expect(Number(after)).toBeGreaterThanOrEqual(events[2]?.event?.seq ?? Number.POSITIVE_INFINITY);
  expect(code).toBe(130);

  const later = listen(
    ["--after", String((events[1]?.event?.seq ?? 0) - 1), "--json", "--types", "sale.recorded"],
    environment,
  );
  await expect.poll(() => linesOf(later.out()).length).toBe(2);
  expect(linesOf(later.out()).map((line) => JSON.parse(line))).toEqual(receiver.calls.slice(1).map(({ body }) => body));
  expect((await stopped(later)).err).not.toContain("signed with");
});

test("listen --test reads the test book, beginning with new events", async () => {
  const { shop, environment } = await openShop(cli);
  const inTest = { additional_data: { test_mode: true } };
  await shop.sale({ customer_key: "u1", transaction_id: "old", ...inTest });
  const running = listen(["--test"], environment);
  await expect.poll(running.err).toContain("Listening for events after");
  await shop.sale({ customer_key: "u1", transaction_id: "live" });
  await shop.sale({ customer_key: "u1", transaction_id: "new", ...inTest });
  await expect.poll(running.out).toContain("new");
  expect(running.out()).not.toMatch(/old|live/);
});

const withKey = { TRIBUTARY_API_KEY: `svc_1_${"k".repeat(43)}` };

const eventOf = (seq: number, object: Event["data"]["object"] = {}, type = "sale.recorded"): Event => ({
  ...{ id: `evt_1_${seq}`, type, timestamp: "2026-11-27T00:00:00.000Z", seq, program_id: 1, test_mode: false },
  data: { object },
});
const pageOf = (...events: Event[]): Behaviour => {
  const next = events.at(-1)?.seq ?? 1;
  return answer(200, { events, next_after: next, has_more: false, newest_seq: next });
};
const gone = (status: number, details: object): Behaviour =>
  answer(status, { data: null, error: { status, name: "SomeError", message: "Gone", details } });

describe("listen after an interruption", () => {
  const listenTo = async (...behaviours: Behaviour[]) => {
    const { url, calls } = await serverThat(...behaviours);
    const running = listen(["--after", "1"], { ...withKey, TRIBUTARY_URL: url });
    const afterOf = () => calls.map(({ path }) => new URL(path, url).searchParams.get("after"));
    return { running, afterOf, calls };
  };

  test("listen continues after a lost connection, and after the pause that a rate limit requests", async () => {
    const busy = refusal(429, "Too many requests.", { "retry-after": "2" });
    const { running, calls } = await listenTo(pageOf(), cut, busy, pageOf(eventOf(2, { sale_id: 5 })));
    await expect.poll(running.out).toContain("sale 5");
    const { err } = await stopped(running);
    expect(err).toMatch(
      /\nhttp:\S+ .* Trying again\.\nThe service answers again\.\nStopped\. Continue with --after 2\n$/,
    );
    expect((calls[3]?.at ?? 0) - (calls[2]?.at ?? 0)).toBeGreaterThan(1_990);
  });

  test("listen continues after a restore of the service and after events were deleted from the feed, and reads at most once a second", async () => {
    const { running, afterOf, calls } = await listenTo(
      gone(400, { code: "too_old", oldest_seq: 20 }),
      pageOf(eventOf(30, { sale_id: 5 })),
      gone(409, { code: "feed_restarted", newest_seq: 25 }),
      pageOf(eventOf(1_000, { from: 25, to: 1_000 }, "feed.restarted")),
    );
    await expect.poll(running.out).toContain("feed.restarted  from 25 to 1000\n");
    const { err } = await stopped(running);
    expect((calls[3]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThan(2_990);
    expect(afterOf().slice(0, 4)).toEqual(["1", "19", "30", "25"]);
    expect(err).toContain("The events before 20 are no longer kept. Continuing with 20.\n");
    expect(err).toContain(
      "The service was restored from a backup: there may be events that it no longer has. Continuing after 25.\n",
    );
  });
});

test("listen stops if the key lacks the scope read, or if the service refuses the request", async () => {
  const { environment } = await openShop(cli, { keys: [{ scopes: ["track"] }] });
  expect(await cli.run(["listen"], environment)).toMatchObject({
    code: 1,
    err: expect.stringContaining('scope "read"'),
  });
  const { environment: reading } = await openShop(cli, { keys: [{ scopes: ["read"] }] });
  expect(await cli.run(["listen", "--types", "sales"], reading)).toMatchObject({
    code: 1,
    err: expect.stringContaining("(--types)"),
  });
  const nobody = { ...withKey, TRIBUTARY_URL: "http://127.0.0.1:9" };
  expect(await cli.run(["listen"], nobody)).toMatchObject({ code: 3, err: expect.stringContaining("not reached") });
});

test("listen prints no control characters from events, and reports changes and an unreachable receiver", async () => {
  const application = eventOf(2, { application_id: 7, name: "A\x1b[2J\nb" }, "partner.applied");
  const object = { commission_id: 74, sale_id: 73, currency: "JPY", amount_cents: 980, status: "approved", held: true };
  const changed = {
    ...eventOf(3, object, "commission.updated"),
    data: { object, previous: { status: "pending", amount_cents: 0 } },
  };
  const { url } = await serverThat(pageOf(application, changed), pageOf(changed));
  const running = listen(["--after", "1", "--forward-to", "http://127.0.0.1:9/hook"], {
    ...withKey,
    TRIBUTARY_URL: url,
  });
  await expect.poll(running.err).toMatch(/(not delivered: .*\n.*){2}/);
  const { out, err } = await stopped(running);
  expect(out).toBe(
    "2026-11-27 00:00:00  2  partner.applied  application 7, A [2J b\n" +
      "2026-11-27 00:00:00  3  commission.updated  commission 74, ¥980, approved, held; was pending, ¥0\n",
  );
  expect(err).toMatch(/signed with whsec_[\w+/]{43}=\n/);
  expect(err).toContain("  ✗ not delivered: http://127.0.0.1:9/hook: ");
});

test("the printed lines in the guide match the guide's events", () => {
  const [whole = "", examples = ""] = blocksOf(readDocument("docs/webhooks.md"))
    .filter(({ language }) => language === "json")
    .map(({ text }) => text);
  const commission = JSON.parse(whole);
  const paid = examples.split("\n").find((line) => line.includes("payout.confirmed")) ?? "";
  const payout = { ...commission, ...JSON.parse(paid), seq: 1_043, timestamp: "2026-05-07T10:21:04.000Z" };
  const guide = readDocument("docs/cli.md");
  for (const event of [commission, payout]) expect(guide).toContain(`\n${inOneLine(event)}\n`);
});

test("listen --since begins with the first event since the given time, despite gaps in the sequence numbers", async () => {
  const steps = fc.array(fc.record({ leap: fc.nat(2), wide: fc.boolean(), ms: fc.nat(3) }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(60), fc.nat(5), async (moves, instant, forgotten) => {
      let [seq, at] = [0, 1_000];
      const all = moves.map(({ leap, wide, ms }): Event => {
        seq += 1 + leap * (wide ? 1e11 : 0);
        at += ms;
        return { ...eventOf(seq), timestamp: new Date(at).toISOString() };
      });
      const kept = all.slice(forgotten);
      let asked = 0;
      const read: ReadFeed = async ({ after }) => {
        asked += 1;
        const events = kept.filter((event) => event.seq > Number(after ?? 0)).slice(0, 1);
        return {
          page: { events, newest_seq: seq, next_after: 0, has_more: true },
          reply: { isReached: false, message: "" },
        };
      };
      const found = Number(await seqBefore(read, 1_000 + instant));
      const expected = kept.filter(({ timestamp }) => Date.parse(timestamp) >= 1_000 + instant);
      expect(kept.filter((event) => event.seq > found)).toEqual(expected);
      expect(asked).toBeLessThan(50);
    }),
  );
});

test("listen reads the feed at growing intervals while no event occurs", () => {
  let pauseMs = busyPauseMs;
  for (let i = 0; i < 10; i += 1) pauseMs = pauseAfter(pauseMs, false);
  expect([pauseMs, pauseAfter(pauseMs, true)]).toEqual([5_000, 1_000]);
});
