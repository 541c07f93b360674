import { describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { sharedService } from "../support/shared-service.ts";
import { command, type Environment } from "./command.ts";
import { json, openShop } from "./command-at-shop.ts";
import { answer, type Behaviour, cut, refusal, serverThat } from "./server-that.ts";

const cli = command();
const key = `svc_1_${"k".repeat(43)}`;

async function open(settings?: WorldSettings) {
  const { shop, run } = await openShop(cli, settings);
  return { shop, run: (...args: string[]) => run("doctor", ...args) };
}

const gate = { status: "pass" };
const verdict = {
  program_id: 1,
  state: "live_verified",
  blocker: null,
  gates: {
    profile: gate,
    economics: gate,
    payout: gate,
    tracking: { ...gate, detail: "receiving_events" },
    live: gate,
  },
  last_event_at: { click: "2026-11-01T00:00:00.000Z", lead: null, sale: null },
  counts_24h: { clicks: 3, leads: 0, sales: 0 },
};
const health = { status: "ok" };

/** The responses by path. By default, they are those of a Tributary service. */
async function serverOf(paths: Readonly<Record<string, Behaviour>> = {}) {
  const known: Readonly<Record<string, Behaviour>> = {
    "/healthz": answer(200, health),
    "/readyz": answer(200, health),
    "/api/v1/programs/me/readiness": answer(200, verdict),
    "/js/svc-tracker.js": answer(200, "!0", { "content-type": "text/javascript" }),
    ...paths,
  };
  const server = await serverThat((response, call) =>
    (known[call.path.split("?")[0] ?? ""] ?? refusal(404, "Not found"))(response, call),
  );
  const run = (args: string[] = [], environment: Environment = { TRIBUTARY_API_KEY: key }) =>
    cli.run(["doctor", "--url", server.url, ...args], environment);
  return { ...server, run };
}

const html = (text: string, headers: Record<string, string> = {}) =>
  answer(200, text, { "content-type": "text/html", ...headers });

test("doctor reports a working integration on one screen", async () => {
  const { shop, run } = await open();
  const { click_id } = await shop.visit();
  await shop.lead({ click_id, customer_key: "buyer" });
  await shop.sale({ customer_key: "buyer" });
  const { code, out, err } = await run();
  expect(out).toContain(`✓ address  ${sharedService.url}/ answers within `);
  expect(out).toContain(`✓ key      valid, for program ${shop.world.programId}\n`);
  expect(out).toContain("✓ program  live_verified: A real sale was attributed to a partner.\n");
  expect(out).toContain("✓ tracker  clicks arrive\n");
  expect(out).toMatch(/ {2}click {2}2\S+Z +1 in 24 hours\n {2}lead {3}2\S+Z +1 in 24 hours\n {2}sale {3}2\S+Z +1 in/);
  expect(out).toContain("\nNo problems found.\n");
  expect(out.split("\n").length).toBeLessThan(20);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(json(await run("--json"))).toMatchObject({
    url: `${sharedService.url}/`,
    ok: true,
    readiness: { program_id: shop.world.programId, state: "live_verified" },
    findings: expect.arrayContaining([{ name: "tracker", status: "pass", message: "clicks arrive" }]),
  });
});

test("doctor reports what the program lacks, and what to do first", async () => {
  const { run } = await open({ policies: [] });
  const { code, out } = await run();
  expect(out).toContain("✗ program  configuring: Setup is incomplete.");
  expect(out).toContain("✗ tracker  no click in 30 days");
  expect(out).toMatch(/sale +never +0 in 24 hours/);
  expect(out).toContain("Next (program): Set a commission policy in the program's settings.");
  expect(code).toBe(1);
});

test("doctor reports a step that hasn't been tried yet, but not as an error", { tags: "soak" }, async () => {
  const { shop, run } = await open();
  await shop.visit();
  expect(await run()).toMatchObject({
    code: 0,
    out: expect.stringMatching(/! program {2}ready: .*Next \(program\): Run: tributary-sdk verify/s),
  });
});

describe("doctor about the key", () => {
  test("doctor reports that the key is being retired, on stdout and not on stderr", { tags: "soak" }, async () => {
    const { shop, run } = await open({ keys: [{ retiresAt: Date.now() + 60_000 }, {}] });
    await shop.visit();
    const { code, out, err } = await run();
    expect(out).toMatch(/! key {6}This API key must be replaced by .*Next \(key\): Use the program's newest API key/s);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("doctor reports that the key was retired", { tags: "soak" }, async () => {
    const { run } = await open({ keys: [{ retiresAt: Date.now() - 60_000 }, {}] });
    const { code, out } = await run();
    expect(out).toMatch(/✗ key {6}This API key was retired on .*Next \(key\): Use the program's newest API key/s);
    expect(code).toBe(1);
  });

  test.each<[string, Environment, string]>([
    ["an unknown key", { TRIBUTARY_API_KEY: key }, "✗ key      Invalid API token."],
    [
      "a malformed key",
      { TRIBUTARY_API_KEY: "sk_live_x" },
      "✗ key      This is not a program key. Set TRIBUTARY_API_KEY.",
    ],
    ["a missing key", {}, "✗ key      No program key. Set TRIBUTARY_API_KEY."],
  ])("doctor reports %s, and still checks the service's address", { tags: "soak" }, async (_, environment, said) => {
    const { code, out } = await cli.run(["doctor", "--url", sharedService.url], environment);
    expect(out).toContain(`✓ address  ${sharedService.url}/`);
    expect(out).toContain(said);
    expect(out).toMatch(/\nNext \(key\): Co(mpare|py) /);
    expect(out).not.toMatch(/kkkk|sk_live_x/);
    expect(code).toBe(1);
  });
});

describe("doctor about the service's address", () => {
  test.each<[string, Behaviour, RegExp]>([
    ["breaks off the connection", cut, /✗ address .*\/healthz: fetch failed/],
    [
      "returns a page that isn't Tributary's",
      html("<h1>Hello</h1>"),
      /no answer from Tributary \(200, text\/html\)\. Check --url\./,
    ],
    ["is another API", answer(200, { status: "up" }), /no answer from Tributary \(200, application\/json\)/],
    [
      "redirects",
      answer(301, "", { location: "https://www.tributary.example/healthz" }),
      /It redirects: use --url https:\/\/www\.tributary\.example\n/,
    ],
  ])("doctor exits with 3 without sending the key if the service %s", async (_, behaviour, said) => {
    const { calls, run } = await serverOf({ "/healthz": behaviour });
    const { code, out } = await run();
    expect(out).toMatch(said);
    expect(code).toBe(3);
    expect(calls.map(({ path, key: sent }) => [path, sent])).toEqual([["/healthz", ""]]);
  });

  test.each(sampled(["/docs", "/api/v1/track/sale", "/app/programs/1", "/api", "/api/v1", "/docs/"]))(
    "doctor suggests a correction for an address with %s in it",
    async (path) => {
      const { code, out } = await cli.run(["doctor", "--url", sharedService.url + path], { TRIBUTARY_API_KEY: key });
      expect(out).toContain(
        `${path.replace(/\/$/, "")} is a path within the service: use --url ${sharedService.url}\n`,
      );
      expect(code).toBe(3);
    },
  );

  test("doctor reports if the service's database is unreachable", async () => {
    const { run } = await serverOf({
      "/readyz": refusal(503, "Away."),
      "/api/v1/programs/me/readiness": refusal(503, "Away."),
    });
    const { code, out } = await run();
    expect(out).toMatch(/! address .* answers, but its database is unreachable\n.*✗ key {6}not checked: Away\./s);
    expect(code).toBe(3);
  });

  test("doctor requires an address", { tags: "soak" }, async () => {
    expect(await cli.run(["doctor"], { TRIBUTARY_API_KEY: key })).toMatchObject({ code: 2, out: "" });
  });
});

test.each([
  [0, "✓ clock    ", 0],
  [90, "! clock    this machine's clock is", 0],
  [-90, "! clock    this machine's clock is", 0],
  [400, "✗ clock    this machine's clock is", 1],
  [-400, "✗ clock    this machine's clock is", 1],
])("doctor checks a clock that is %i s ahead of the service's", { tags: "soak" }, async (seconds, said, expected) => {
  const date: Behaviour = (response, call) =>
    answer(200, health, { date: new Date(Date.now() - seconds * 1_000).toUTCString() })(response, call);
  const { run } = await serverOf({ "/healthz": date });
  const { code, out } = await run();
  expect(out).toContain(said);
  if (seconds !== 0) expect(out).toContain(seconds > 0 ? "ahead of the service's" : "behind the service's");
  expect(code).toBe(expected);
});

describe("doctor --page", () => {
  const untracked = {
    ...verdict,
    gates: { ...verdict.gates, tracking: { status: "fail", next_action: "install_tracker_or_send_events" } },
  };

  async function lookAt(page: (url: string) => Behaviour, paths: Readonly<Record<string, Behaviour>> = {}) {
    const shop = await serverThat((response, call) => page(service.url)(response, call));
    const service = await serverOf(paths);
    const ended = await service.run(["--page", `${shop.url}/landing`]);
    // The page has another origin, so the command must not send the key to it.
    expect(shop.calls.map(({ path, key: sent }) => [path, sent])).toEqual(shop.calls.map(({ path }) => [path, ""]));
    return { ...ended, service, shop };
  }
  const tag = (url: string, more = "") =>
    `<script async src="${url}/js/svc-tracker.js" data-svc-program-id="1"${more}></script>`;

  test.each(["", "?program=1"])("doctor --page accepts the right tag: %j", { tags: "soak" }, async (query) => {
    const own = (url: string) => (query ? `<script src="${url}/js/svc-tracker.js${query}"></script>` : tag(url));
    const { code, out, service } = await lookAt((url) => html(own(url)));
    expect(out).toContain("✓ page     its tag names program 1\n");
    expect(out).toContain(`✓ script   ${service.url}/js/svc-tracker.js${query} loads, and calls this service\n`);
    expect([code, out.includes("policy")]).toEqual([0, false]);
  });

  test.each<[string, (url: string) => string]>([
    ["no tag", () => "<p>Hello</p>"],
    ["a tag in a comment", (url) => `<!-- ${tag(url)} -->`],
    ["another script", (url) => `<script src="${url}/js/svc-tracker.js"></script>`],
  ])("doctor --page prints the tag to add to a page with %s", { tags: "soak" }, async (_, body) => {
    const { code, out, service } = await lookAt((url) => html(body(url)), {
      "/api/v1/programs/me/readiness": answer(200, untracked),
    });
    expect(out).toContain("has no script tag with data-svc-program-id in its HTML");
    expect(json(await service.run(["--json", "--page", `${service.url}/healthz`])).findings).toContainEqual({
      name: "page",
      status: "fail",
      message: `${service.url}/healthz has no script tag with data-svc-program-id in its HTML`,
      next_action: expect.stringContaining(
        `<script async src="${service.url}/js/svc-tracker.js" data-svc-program-id="1">`,
      ),
    });
    expect(code).toBe(1);
  });

  test("doctor --page doesn't report a missing tag as an error if clicks arrive, because code may load the script", {
    tags: "soak",
  }, async () => {
    expect(await lookAt(() => html("<p>Hello</p>"))).toMatchObject({
      code: 0,
      out: expect.stringContaining("! page "),
    });
  });

  test.each<[string, (url: string) => string, string]>([
    [
      "another program",
      (url) => `<SCRIPT src='${url}/js/svc-tracker.js' data-svc-program-id=2></SCRIPT>`,
      "✗ page     its tag names program 2, but the key belongs to program 1",
    ],
    ["no address", () => '<script data-svc-program-id="1"></script>', "✗ script   the tag's src is not a valid URL"],
    [
      "a missing script",
      (url) => `<script src="${url}/js/other.js" data-svc-program-id="1"></script>`,
      "/js/other.js is not a script (404, application/json)",
    ],
    [
      "calls to an address that doesn't respond",
      (url) => tag(url, ` data-svc-api-base="${url}/nowhere"`),
      "/nowhere/, where no Tributary service answers",
    ],
  ])("doctor --page reports a page whose tag has %s", { tags: "soak" }, async (_, body, said) => {
    const { code, out } = await lookAt((url) => html(body(url)));
    expect(out).toContain(said);
    expect(code).toBe(1);
  });

  test("doctor --page notes that a page's calls go through the site's own proxy", { tags: "soak" }, async () => {
    const script = answer(200, "!0", { "content-type": "application/javascript" });
    const method = { data: null, error: { status: 405, name: "MethodNotAllowedError", message: "Method not allowed" } };
    const { code, out } = await lookAt(
      (url) => html(`<script src="${url}/r/assets/hello.js" data-svc-program-id="1"></script>`),
      { "/r/assets/hello.js": script, "/r/api/v1/track/click": answer(405, method) },
    );
    expect(out).toMatch(/! script {3}it calls \S+\/r\/, not /);
    expect(code).toBe(0);
  });

  test.each<[string, (url: string) => string, string, string]>([
    [
      "no foreign scripts",
      () => "script-src 'self'; connect-src *",
      "",
      "✗ policy   script-src of the Content-Security-Policy blocks the script",
    ],
    ["nothing but the page's origin by default", () => "default-src 'self'", "", "✗ policy   default-src of"],
    [
      "the script but no calls",
      (url) => `script-src ${url}; connect-src 'none'`,
      "",
      "✗ policy   connect-src of the Content-Security-Policy blocks its calls",
    ],
    ["no calls by a 2nd policy", (url) => `script-src ${url}, connect-src 'self'`, "", "✗ policy   connect-src of"],
    ["only nonces", (url) => `script-src 'nonce-abc' 'strict-dynamic' ${url}`, "", "✗ policy   script-src of"],
    ["scripts from another port", () => "script-src http://127.0.0.1:1", "", "✗ policy   script-src of"],
    ["scripts from another path", (url) => `script-src ${url}/assets/`, "", "✗ policy   script-src of"],
    ["scripts and calls from the service", (url) => `script-src ${url}; connect-src ${url}`, "", "✓ policy"],
    [
      "scripts from the service without a scheme, and by path",
      (url) => `script-src ${url.slice(7)}/js/; connect-src *`,
      "",
      "✓ policy",
    ],
    ["scripts from any port", () => "script-src 127.0.0.1:*; connect-src http:", "", "✓ policy"],
    ["the script by its nonce", () => "script-src 'nonce-abc' 'strict-dynamic'", ' nonce="abc"', "✓ policy"],
    ["the script by its hash", () => "script-src 'sha384-x'", ' integrity="sha384-x"', "✓ policy"],
    ["any script, because it only limits images", () => "img-src 'none'", "", "✓ policy"],
  ])("doctor --page checks a page's CSP that allows %s", { tags: "soak" }, async (_, policy, attributes, said) => {
    const { code, out } = await lookAt((url) => html(tag(url, attributes), { "content-security-policy": policy(url) }));
    expect(out).toContain(said);
    expect(code).toBe(said.startsWith("✓") ? 0 : 1);
  });

  test("doctor --page also checks a policy in a meta tag", { tags: "soak" }, async () => {
    const meta = '<meta http-equiv="Content-Security-Policy" content="script-src &#39;self&#39;">';
    const { out } = await lookAt((url) => html(meta + tag(url)));
    expect(out).toContain("✗ policy   script-src of");
    expect(out).toMatch(/Next \(policy\): Add http:\/\/127\.0\.0\.1:\d+ to script-src\./);
  });

  test("doctor --page reports a page that can't be loaded", { tags: "soak" }, async () => {
    const { code, out } = await lookAt(() => answer(500, ""));
    expect(out).toMatch(/✗ page {5}\S+\/landing responds with 500/);
    expect(code).toBe(1);
    const wrong = await cli.run(["doctor", "--url", sharedService.url, "--page", "shop.example"], {
      TRIBUTARY_API_KEY: key,
    });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("--page must be a URL") });
  });
});

test("doctor recognizes the real script's tag on a page", async () => {
  const { shop, run } = await open();
  const { programId } = shop.world;
  const page = await serverThat(
    html(`<script async src="${sharedService.url}/js/svc-tracker.js" data-svc-program-id="${programId}"></script>`),
  );
  const { out } = await run("--page", page.url);
  expect(out).toContain(`✓ page     its tag names program ${programId}`);
  expect(out).toContain(`✓ script   ${sharedService.url}/js/svc-tracker.js loads, and calls this service`);
  const alias = await serverThat(
    html(
      `<script async src="${sharedService.url}/js/svc-tracker.js" data-svc-program-id="${programId}" data-svc-api-base="${sharedService.url.replace("127.0.0.1", "localhost")}"></script>`,
    ),
  );
  expect((await run("--page", alias.url)).out).toMatch(/! script {3}it calls http:\/\/localhost:\d+\/, not /);
});
