import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { root } from "../../scripts/root.ts";
import { sampled } from "../support/breadth.ts";
import { sharedService } from "../support/shared-service.ts";
import { command, type Environment } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, refusal, serverThat } from "./server-that.ts";

const cli = command();
const open = (settings?: WorldSettings) => openShop(cli, settings);
const key = `svc_1_${"k".repeat(43)}`;
const withKey: Environment = { TRIBUTARY_API_KEY: key };

test("send reports each invalid field by its flag, with a remedy", async () => {
  const { shop, run } = await open({ partners: [{ status: "paused" }, {}] });
  const sale = await run("send", "sale", "--live");
  expect(sale.err).toContain("✗ transaction_id is required and must be a string (--transaction-id)");
  expect(sale.err).toContain("✗ amount_cents is required and must be a positive integer (--amount)");
  expect(sale).toMatchObject({ code: 1, out: "" });
  const missing = await run("send", "refund", "--transaction-id", "t1", "--json");
  expect(missing.err).toContain("Send the sale first, to the same book");
  expect(json(missing)).toMatchObject({ error: { status: 404 } });
  const paused = await run("send", "click", "--affiliate-url", shop.alice.landingUrl);
  expect(paused).toMatchObject({
    code: 1,
    err: expect.stringContaining("Nothing was recorded. Referral link is inactive: "),
  });
  const unknown = await run("send", "click", "--affiliate-url", "https://shop.example/?aff=nobody");
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("Compare aff with the partner's link.") });
});

test.each(sampled([["verify"], ["send", "sale"], ["readiness"], ["explain", "--sale", "1"]]))(
  "the command reports a wrong key with a remedy: %s %s",
  async (...args) => {
    const { code, out, err } = await cli.run(args, { TRIBUTARY_API_KEY: key, TRIBUTARY_URL: sharedService.url });
    expect(err).toMatch(/Invalid API token\.?\n {2}Compare the key with the one in the program's settings/);
    expect(out + err).not.toContain(key);
    expect(code).toBe(1);
  },
);

test("after an unreadable response or none, the command exits with 3 and prints the service's address", async () => {
  const nobody = await cli.run(["verify", "--json", "--url", "http://127.0.0.1:9"], withKey);
  expect(json(nobody).error.message).toContain("http://127.0.0.1:9/api/v1/programs/me/verification: ");
  expect(nobody.code).toBe(3);
  const unexplained = await cli.run(["explain", "--transaction", "order-17", "--url", "http://127.0.0.1:9"], withKey);
  expect(unexplained.err).toMatch(/^✗ Service not reached\. .*\/explain\?transaction_id=order-17: .*\n$/);
  expect(unexplained).toMatchObject({ code: 3, out: "" });
  const { url } = await serverThat(answer(200, "<h1>Hello</h1>", { "content-type": "text/html" }));
  expect(await cli.run(["readiness", "--url", url], withKey)).toMatchObject({
    code: 3,
    err: expect.stringContaining("no answer from Tributary (200, text/html). Check --url."),
  });
});

test.each(sampled([["verify"], ["send", "lead"], ["readiness"], ["explain", "--sale", "1"]]))(
  "the command reports an address with an extra path: %s %s",
  { tags: "soak" },
  async (...args) => {
    const run = (url: string) => cli.run([...args, "--url", url], withKey);
    for (const path of ["/docs", "/api/v1", "/app/"]) {
      const { code, err } = await run(sharedService.url + path);
      expect(err).toContain(
        `${path.replace(/\/$/, "")} is a path within the service: use --url ${sharedService.url}\n`,
      );
      expect(code).toBe(3);
    }
    expect((await run(`${sharedService.url}/other`)).err).toContain("Check --url: is /other part of the address?");
    const elsewhere = await serverThat(
      answer(301, "", { location: "https://www.x.example/api/v1/programs/me/readiness" }),
    );
    const { err } = await cli.run(["readiness", "--url", elsewhere.url], withKey);
    expect(err).toContain("It redirects: use --url https://www.x.example\n");
  },
);

test("after a 429 response, the command exits with 3 and prints when to try again", { tags: "soak" }, async () => {
  const { url } = await serverThat(refusal(429, "Too many requests.", { "retry-after": "1800" }));
  const { code, err } = await cli.run(["verify", "--url", url], withKey);
  expect(err).toContain("Too many requests.\n  Try again in 1800 s.");
  expect(code).toBe(3);
});

test("a redirect isn't followed, so that the key isn't sent to another address", async () => {
  const elsewhere = await serverThat(answer(200, { success: true }));
  const { url } = await serverThat(answer(307, "", { location: `${elsewhere.url}/` }));
  const { code, err } = await cli.run(["send", "lead", "--url", url], withKey);
  expect(err).toContain(elsewhere.url);
  expect(elsewhere.calls).toEqual([]);
  expect(code).toBe(3);
});

test.each(sampled([["send", "lead"], ["replay", "file.jsonl"], ["verify"], ["readiness"], ["explain", "--sale", "1"]]))(
  "the command sends nothing over plain http to another machine: %s %s",
  async (...args) => {
    await writeFile(join(cli.directory, "file.jsonl"), '{"type":"lead","customer_key":"u1"}\n');
    // These addresses also reach this machine, so that the test would notice a request.
    const { url, calls } = await serverThat(answer(200, { success: true }));
    for (const host of ["0.0.0.0", "[::ffff:127.0.0.1]"]) {
      const { code, err } = await cli.run([...args, "--url", url.replace("127.0.0.1", host)], withKey);
      expect(err).toContain("The address must start with https:// (http:// only on localhost)");
      expect(code).toBe(2);
    }
    expect(calls).toEqual([]);
  },
);

test("the command doesn't print a key that a response repeats", async () => {
  const { url } = await serverThat(answer(200, { success: true, lead_id: 1, attributed: true, partner_code: key }));
  for (const args of [
    ["send", "lead"],
    ["send", "lead", "--json"],
  ]) {
    const { out, err } = await cli.run([...args, "--url", url], withKey);
    expect(out).toContain("<key>");
    expect(out + err).not.toContain(key);
  }
});

test("a key that is being retired causes a warning on stderr, and a retired key an error", {
  tags: "soak",
}, async () => {
  const { run } = await open({ keys: [{ retiresAt: Date.now() + 60_000 }, {}] });
  const { code, err } = await run("readiness", "--json");
  expect(err).toContain("Warning: This API key must be replaced by");
  expect(code).toBe(1);
  const retired = await open({ keys: [{ retiresAt: Date.now() - 60_000 }, {}] });
  expect((await retired.run("verify")).err).toContain("This API key was retired on");
});

test("a flag overrides the environment variable", { tags: "soak" }, async () => {
  const { url, calls } = await serverThat(answer(200, { success: true, lead_id: 1, attributed: false }));
  const environment = { ...withKey, TRIBUTARY_URL: "http://127.0.0.1:9" };
  await cli.run(["send", "lead", "--customer-key", "u1", "--url", url], environment);
  expect(calls).toHaveLength(1);
});

test.each(
  sampled<[string[], string, Environment?]>(
    [
      [["verify", "--url", "https://x"], "This is not a program key.", { TRIBUTARY_API_KEY: "secret-thing" }],
      [
        ["verify", "--key", key],
        "--key is not supported, because all users of a machine can see arguments. Set TRIBUTARY_API_KEY.",
      ],
      [["verify", key], 'Unexpected argument "<key>".'],
      [[], "No command given."],
      [["vreify"], 'Unknown command "vreify". The command comes first.'],
      [["--json", "verify"], 'Unknown command "--json". The command comes first.'],
      [["verify", "now"], 'Unexpected argument "now".'],
      [["verify", "--jsn"], "Unknown flag --jsn. Did you mean --json?\nSee: tributary-sdk verify --help"],
      [["send", "sale", "--ammount", "1"], "Unknown flag --ammount. Did you mean --amount?"],
      [["send", "sale", "--customer", "u"], "Unknown flag --customer. Did you mean --customer-key?"],
      [["send", "sale", "--zzz"], "Unknown flag --zzz.\n"],
      [["explain"], "Name exactly one of --transaction, --customer, --click, --lead, --sale, --commission."],
      [["explain", "--sale", "1", "--transaction", "t"], "Name exactly one of --transaction"],
      [["explain", "--customer", "u", "--refund", "r"], "--refund needs --transaction."],
      [["explain", "--customer-key", "u"], "Unknown flag --customer-key. Did you mean --customer?"],
      [["explain", "--transaction-id", "t"], "Unknown flag --transaction-id. Did you mean --transaction?"],
      [["explain", "order-17"], 'Unexpected argument "order-17".'],
      [["send"], "Name the event to send: click, lead, sale, refund."],
      [["send", "sale", "--amount", "49.00"], "--amount must be a whole number from 1 to"],
      [["send", "sale", "--amount", "-5"], "--amount must be a whole number from 1 to"],
      [["send", "sale", "--amount"], "--amount needs a value."],
      [["send", "sale", "--currency", "--live"], "--currency needs a value. If it starts with -, write --currency=-…"],
      [["send", "sale", "--live=yes"], "--live takes no value."],
      [["send", "sale", "--customerkey", "u"], "Unknown flag --customerkey. Did you mean --customer-key?"],
      [["send", "sale", "--line-items", "{"], "--line-items must be JSON."],
      [["send", "sale", "--url", "https://x"], "No program key. Set TRIBUTARY_API_KEY.", { TRIBUTARY_API_KEY: "" }],
      [["send", "lead", `--key=${key}`], "--key is not supported"],
      [["verify"], "No address. Set TRIBUTARY_URL"],
      [["verify", "--url", "ftp://x"], "The address must start with https://"],
      [["verify", "--url", "https://u:p@x"], "The address must start with https://"],
      [["verify", "--url", "tributary.example"], "Did you mean https://tributary.example?"],
      [["verify", "--url", "tributary.example:8443/base"], "Did you mean https://tributary.example:8443/base?"],
      [["verify", "--url", "localhost:8787"], "Did you mean http://localhost:8787?"],
      [["verify", "--url", "http://tributary.example"], "Did you mean https://tributary.example?"],
      [["verify", "--url", "https://tributary.example/?x=1#y"], "Did you mean https://tributary.example/?\n"],
      [["listen", "--after", "1", "--since", "1h"], "Pass --after or --since, not both."],
      [["listen", "--since", "1"], "--since must be a duration: 30s, 15m, 1h or 7d."],
      [["listen", "--after", "-1"], "--after must be a whole number from 0 to"],
      [["listen", "--forward-to", "http://shop.example/"], "--forward-to must start with https://"],
      [["listen", "--secret", "whsec_eA=="], "--secret needs --forward-to."],
      [["listen", "--forward-to", "http://localhost:3000", "--secret", "whsec_eA=="], "--secret must be whsec_ and"],
      [["replay"], "No file given."],
      [["replay", "nothing.jsonl"], "There is no file nothing.jsonl."],
    ],
    7,
  ),
)("wrong usage exits with 2 and a hint: %s", async (args, said, environment = withKey) => {
  const { code, out, err } = await cli.run(args, environment);
  expect(err).toContain(said);
  expect(err).toContain("--help");
  expect(out + err).not.toMatch(/secret-thing|kkkk/);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test("--help and --version exit with 0", async () => {
  expect(await cli.run(["--help"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("Exit codes: 0 success; 1"),
  });
  for (const name of sampled([
    "doctor",
    "verify",
    "readiness",
    "explain",
    "listen",
    "send",
    "replay",
    "import",
    "export",
  ])) {
    const { code, out } = await cli.run([name, "--help"]);
    expect(out).toContain(`tributary-sdk ${name}`);
    expect(out).toContain("--url, --json");
    expect(code).toBe(0);
  }
  const { version } = JSON.parse(await readFile(join(root, "sdk/package.json"), "utf8"));
  expect(await cli.run(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});
