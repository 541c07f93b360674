/** @module-tag soak */
import { request } from "node:http";
import { expect, inject, test } from "vitest";
import { filesIn } from "../../sdk/files.ts";
import { isolatedDevelopmentService } from "../support/isolated-service.ts";
import { sharedService } from "../support/shared-service.ts";

// The development runtime serves static files with Cloudflare's own code. The self-hosted workerd must respond the same.

const development = isolatedDevelopmentService();

interface Question {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Headers that differ anyway: of the connection, of a single response, or of Cloudflare's cache. */
const unrelated = ["date", "connection", "keep-alive", "transfer-encoding", "x-request-id", "cf-cache-status"];

/** Sends the path unchanged; `fetch` would normalize it. */
const ask = (base: string, { path, method = "GET", headers = {} }: Question) =>
  new Promise<Answer>((resolve, reject) => {
    const { hostname, port } = new URL(base);
    request({ hostname, port, path, method, headers, agent: false }, async (answer) => {
      const chunks = await answer.toArray();
      const given = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: answer.statusCode,
        headers: Object.fromEntries(given.filter(([name = ""]) => !unrelated.includes(name))),
        body: Buffer.concat(chunks).toString("base64"),
      });
    })
      .once("error", reject)
      .end();
  });

const script = "/js/svc-tracker.js";

interface Difference {
  readonly header: string;
  readonly why: string;
  applies(question: Question): boolean;
}

const differences: readonly Difference[] = [
  {
    header: "content-type",
    why: "ours has a charset, which an XML document may do without",
    applies: ({ path }) => path.endsWith(".svg"),
  },
  {
    header: "allow",
    why: "RFC 9110 asks for it with 405",
    applies: ({ method = "GET" }) => !["GET", "HEAD"].includes(method),
  },
  {
    header: "content-length",
    why: "the development runtime, which may compress, leaves the length out of HEAD",
    applies: ({ method }) => method === "HEAD",
  },
];

async function both(question: Question): Promise<{ readonly theirs: Answer; readonly ours: Answer }> {
  const meant = differences.filter(({ applies }) => applies(question)).map(({ header }) => header);
  const comparable = ({ headers, ...answer }: Answer): Answer => {
    const kept = Object.entries(headers).filter(([name]) => !meant.includes(name));
    // Both compute entity tags differently, so only the format is compared.
    const values = kept.map(([name, value]) => [name, name === "etag" ? value.replaceAll(/[0-9a-f]/g, "0") : value]);
    return { ...answer, headers: Object.fromEntries(values) };
  };
  const [theirs, ours] = await Promise.all([ask(development.service.url, question), ask(sharedService.url, question)]);
  return { theirs: comparable(theirs), ours: comparable(ours) };
}

test("every file is served as on Cloudflare", async () => {
  const names = await filesIn(inject("built").publicDirectory);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const { theirs, ours } = await both({ path: `/${name}` });
    expect(ours, name).toEqual(theirs);
  }
});

const paths = [
  ...["/", "/app", "/app/", "/app/index", "/app/index?x=1", "/app/assets", "/app/assets/", "/app/assets/none.js"],
  ...["/js", "/js/", "/js/none.js", "/js/svc-tracker", `${script}/`, `${script}?x=1`, "/JS/svc-tracker.js"],
  ...["/js/../js/svc-tracker.js", "/js/x/../svc-tracker.js", "/js/%2e%2e/js/svc-tracker.js", "/js/../_headers"],
  ...["/sdk", "/sdk/", "/sdk.tgz", "/sdk.tgz?x=1", "/sdk.tgz/", "/index.html", "/favicon.ico", "/%", "/__proto__"],
  ...["/llms.txt", "/docs/guides/rules.md", "/docs/guides/rules", "/docs/guides/none.md"],
];
const methods = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const headers: readonly Record<string, string>[] = [
  { range: "bytes=0-9" },
  { range: "bytes=99999999-" },
  { "if-none-match": '"x"' },
  { "if-modified-since": "Sun, 22 Nov 2037 10:00:00 GMT" },
  { origin: "https://shop.example" },
];
const questions: readonly Question[] = [
  ...paths.map((path) => ({ path })),
  ...methods.flatMap((method) => [script, "/sdk.tgz", "/js/none.js", "/_headers"].map((path) => ({ path, method }))),
  ...headers.map((each) => ({ path: script, headers: each })),
];

test("unusual paths, methods and headers have the same response as on Cloudflare", async () => {
  for (const question of questions) {
    const { theirs, ours } = await both(question);
    expect(ours, JSON.stringify(question)).toEqual(theirs);
  }
});

test("conditional requests return 304 as on Cloudflare, except in two harmless cases", async () => {
  const statuses = (of: (etag: string) => string) =>
    Promise.all(
      [development.service.url, sharedService.url].map(async (base) => {
        const { etag = "" } = (await ask(base, { path: script })).headers;
        return ask(base, { path: script, headers: { "if-none-match": of(etag) } });
      }),
    ).then((answers) => answers.map(({ status }) => status));
  expect(await statuses((etag) => etag)).toEqual([304, 304]);
  expect(await statuses((etag) => `W/${etag}`)).toEqual([304, 304]);
  expect(await statuses((etag) => etag.replaceAll('"', ""))).toEqual([200, 200]);
  // RFC 9110 allows this difference, which is harmless.
  expect(await statuses((etag) => `"x", ${etag}`)).toEqual([200, 304]);
  expect(await statuses(() => "*")).toEqual([200, 304]);
});

test.each([
  // No page links to such a path, and the Worker returns 404.
  ...["//js/svc-tracker.js", "/js/%73vc-tracker.js", "/js%2fsvc-tracker.js"].map((path) => [path, 307, 404] as const),
  // The Worker serves the dashboard's page at every path below /app/.
  ["/app//", 307, 200] as const,
])("the unnormalized path %s returns no file: %s on Cloudflare, %s here", async (path, there, here) => {
  const { theirs, ours } = await both({ path });
  expect([theirs.status, ours.status]).toEqual([there, here]);
});

test("a file is compressed as on Cloudflare", async () => {
  const { theirs, ours } = await both({ path: script, headers: { "accept-encoding": "gzip" } });
  expect([theirs.headers["content-encoding"], ours.headers["content-encoding"]]).toEqual(["gzip", "gzip"]);
});

test("every response has a Date header, with which a caller compares clocks", async () => {
  for (const path of ["/healthz", "/nowhere", "/sdk.tgz", script, "/api/auth/get-session"]) {
    const sentAt = Math.floor(Date.now() / 1_000) * 1_000;
    const { headers } = await fetch(sharedService.url + path, { redirect: "manual" });
    const date = headers.get("date") ?? "";
    expect(date, path).toMatch(/ GMT$/);
    expect(Date.parse(date), path).toBeGreaterThanOrEqual(sentAt);
    expect(Date.parse(date), path).toBeLessThanOrEqual(Date.now());
  }
});
