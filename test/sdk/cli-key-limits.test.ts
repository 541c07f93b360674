import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { day } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { command } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, serverThat } from "./server-that.ts";

const cli = command();
type Key = NonNullable<WorldSettings["keys"]>[number];
const open = (key: Key) => openShop(cli, { keys: [key] });
const findingsOf = (text: string) => text.split("\n").filter((line) => /^[✓!✗] (key|program|tracker) /.test(line));

const remedy = "An owner can give the key this scope in the program's settings, or create a key that has it.";
const noTrack = "✗ key      can't report events: it doesn't have the scope track";
const noRead = "! program  not checked: the key doesn't have the scope read";
const testOnly = "! key      a test key: it works only in test mode";
const testRead = "! program  not checked: a test key can't read it";

describe("doctor with a key of limited scopes", () => {
  test("doctor accepts a key with the scopes track and read, and records nothing", { tags: "soak" }, async () => {
    const { shop, run } = await open({ scopes: ["track", "read"] });
    const { out } = await run("doctor");
    expect(findingsOf(out)[0]).toBe(`✓ key      valid, for program ${shop.world.programId}`);
    expect(await shop.all("refunds")).toEqual([]);
  });

  test("doctor reports that a key without the scope track can't send events, and still checks the program", {
    tags: "soak",
  }, async () => {
    const { run } = await open({ scopes: ["read", "manage"] });
    const { code, out, err } = await run("doctor");
    expect(findingsOf(out)).toEqual([noTrack, expect.stringMatching(/^! program {2}|^✗ program /), expect.any(String)]);
    expect(out).toContain("Last real events");
    expect(out).toContain(`Next (key): ${remedy}`);
    expect({ code, err }).toEqual({ code: 1, err: "" });
  });

  test("doctor reports that a key lacks the scope read, and still checks a page", async () => {
    const { shop, run } = await open({ scopes: ["track"] });
    const { programId } = shop.world;
    const tag = `<script async src="${sharedService.url}/js/svc-tracker.js" data-svc-program-id="${programId + 1}">`;
    const page = await serverThat(answer(200, `${tag}</script>`, { "content-type": "text/html" }));
    const { code, out } = await run("doctor");
    expect(findingsOf(out)).toEqual([`✓ key      valid, for program ${programId}`, noRead]);
    expect(out).toContain(`Next (program): ${remedy} Calls that report events don't need it.`);
    expect(out).not.toMatch(/\b403\b/);
    expect(code).toBe(0);
    expect(await run("doctor", "--page", page.url)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`names program ${programId + 1}, but the key belongs to program ${programId}`),
    });
  });

  test.each(
    sampled<[string, Key, string[], number]>(
      [
        ["with neither the scope track nor the scope read", { scopes: ["manage"] }, [noTrack, noRead], 1],
        ["for test mode", { scopes: ["track", "read"], book: "test" }, [testOnly, testRead], 0],
        ["for test mode that can only track", { scopes: ["track"], book: "test" }, [testOnly, noRead], 0],
        ["for test mode that can only read", { scopes: ["read"], book: "test" }, [noTrack, testOnly, testRead], 1],
      ],
      2,
    ),
  )("doctor reports a key %s", async (_, key, found, exit) => {
    const { run } = await open(key);
    const { code, out } = await run("doctor");
    expect(findingsOf(out)).toEqual(found);
    expect(code).toBe(exit);
    const { ok, findings, readiness } = json(await run("doctor", "--json"));
    expect([ok, readiness]).toEqual([exit === 0, null]);
    expect(findings.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["key", "program"]));
  });

  test("doctor reports that a key is being retired, together with the scopes that it lacks", {
    tags: "soak",
  }, async () => {
    const { run } = await open({ scopes: ["track"], retiresAt: Date.now() + day });
    expect(findingsOf((await run("doctor")).out)).toEqual([
      expect.stringMatching(/^! key {6}This API key must be replaced by /),
      noRead,
    ]);
  });
});

const sentence = (scope: string) =>
  `✗ This API key doesn't have the scope "${scope}", which the call needs.\n  ${remedy}\n`;
const inTestMode =
  "✗ This API key works only in test mode.\n" +
  "  Use test mode (send without --live, replay, explain and listen with --test), or a key for live events.\n";

test.each(
  sampled<[string, Key, string[], string]>(
    [
      ["verify", { scopes: ["read"] }, ["verify"], sentence("track")],
      ["send", { scopes: ["read"] }, ["send", "sale", "--customer-key", "u"], sentence("track")],
      ["explain", { scopes: ["track"] }, ["explain", "--transaction", "t"], sentence("read")],
      ["readiness", { scopes: ["track"] }, ["readiness"], sentence("read")],
      ["readiness --watch", { scopes: ["track"] }, ["readiness", "--watch"], sentence("read")],
      [
        "send --live",
        { scopes: ["track"], book: "test" },
        ["send", "lead", "--live", "--customer-key", "u"],
        inTestMode,
      ],
      ["explain", { scopes: ["read"], book: "test" }, ["explain", "--transaction", "t"], inTestMode],
    ],
    3,
  ),
)("%s prints which scope the key lacks, with a remedy: %j", async (_, key, args, said) => {
  const { run } = await open(key);
  expect(await run(...args)).toEqual({ code: 1, out: "", err: said });
});

test("a key for the test book works for verify, send and explain if it has their scopes", async () => {
  const { run } = await open({ scopes: ["track", "read"], book: "test" });
  expect(await run("verify")).toMatchObject({ code: 0 });
  const sale = ["--customer-key", "u", "--amount", "4900", "--transaction-id", "t"];
  expect(await run("send", "sale", ...sale)).toMatchObject({ code: 0 });
  expect(await run("explain", "--transaction", "t", "--test")).toMatchObject({ code: 0 });
});

test.each(
  sampled<[string, Key, string]>([
    ["lacks a scope", { scopes: ["read", "manage"] }, sentence("track")],
    ["is for test mode", { scopes: ["track"], book: "test" }, inTestMode],
  ]),
)("replay stops at the first line if the key %s, and can be resumed with another key", async (_, key, said) => {
  const { shop, run, environment } = await openShop(cli, { keys: [key, {}] });
  const file = join(cli.directory, `past-${shop.world.programId}.jsonl`);
  const lines = Array.from({ length: 50 }, (_, i) => JSON.stringify({ type: "lead", customer_key: `u${i}` }));
  await writeFile(file, `${lines.join("\n")}\n`);
  const { code, err } = await run("replay", file, "--concurrency", "1");
  expect(err).toContain(`${said}Stopped after 0 lines.`);
  expect(code).toBe(1);
  const other = { ...environment, TRIBUTARY_API_KEY: shop.world.keys[1] ?? "" };
  expect(await cli.run(["replay", file], other)).toMatchObject({ code: 0 });
  expect(await shop.all("leads")).toHaveLength(50);
});
