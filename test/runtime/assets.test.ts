import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Assets, isForWorker, serveAsset } from "../../runtime/assets.ts";
import { readAssets } from "../../scripts/service/assets.ts";

let directory: string;
let assets: Assets;

/** Serves a folder's files as workerd does: only their bytes. */
const files = {
  fetch: async (url: URL | RequestInfo) => {
    const file = decodeURIComponent(new URL(String(url)).pathname);
    return new Response(await readFile(join(directory, file)));
  },
};

const get = (path: string, init?: RequestInit) =>
  serveAsset(new Request(`https://service.example${path}`, init), assets, files);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-assets-"));
  await mkdir(join(directory, "app"));
  await mkdir(join(directory, "js"));
  const written = {
    "app/index.html": "<p>page</p>",
    "js/a b.js": "1",
    "js/kept.js": "2",
    _headers:
      "/*\n  X-All: 1\n\n/js/*\n  X-All: 2\n  Cache-Control: no-cache\n\n/js/kept.js\n  Cache-Control: immutable\n",
    _redirects: "/newest /js/kept.js 302\n",
  };
  for (const [name, text] of Object.entries(written)) await writeFile(join(directory, name), text);
  assets = await readAssets(directory, ["/api/*", "/app/"]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("a file has its content type, and the headers of every matching rule, where the last rule takes precedence", async () => {
  const answer = await get("/js/kept.js");
  expect([answer?.status, await answer?.text()]).toEqual([200, "2"]);
  expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "immutable",
    "x-all": "2",
  });
  const page = await get("/app/");
  expect(page?.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  expect([await page?.text(), page?.headers.get("x-all")]).toEqual(["<p>page</p>", "1"]);
});

test("a client with the current file receives 304", async () => {
  const etag = (await get("/js/kept.js"))?.headers.get("etag") ?? "";
  for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    expect((await get("/js/kept.js", { headers: { "if-none-match": tags } }))?.status, tags).toBe(304);
  }
  expect((await get("/js/kept.js", { headers: { "if-none-match": '"x"' } }))?.status).toBe(200);
});

test("a redirect returns 302, and a write is refused", async () => {
  const answer = await get("/newest");
  expect([answer?.status, answer?.headers.get("location")]).toEqual([302, "/js/kept.js"]);
  expect((await get("/js/kept.js", { method: "PUT", body: "3" }))?.status).toBe(405);
});

test.each(["/_headers", "/_redirects", "/js/none.js", "/js/", "/", "/js/../_headers", "/__proto__", "/constructor"])(
  "no static file is served at the path %s",
  async (path) => expect(await get(path)).toBeUndefined(),
);

test("the Worker handles only the listed paths, and paths that match a listed pattern with a star", () => {
  const paths = ["/api/v1/x", "/api/", "/app/", "/api", "/app/x", "/js/kept.js"];
  expect(paths.filter((path) => isForWorker(assets, path))).toEqual(["/api/v1/x", "/api/", "/app/"]);
});
