import { expect, test } from "vitest";
import { sharedService } from "../support/shared-service.ts";

/** Requests a page and decompresses it as a browser does. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(sharedService.url + path, { headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

test("guides are served next to the API reference, compressed and cached, with no script except the search", async () => {
  const [index, page] = await Promise.all([get("/docs/guides/"), get("/docs/guides/integration/")]);
  for (const { status, text, headers } of [index, page]) {
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/html/);
    expect(headers.get("content-encoding")).toBe("gzip");
    expect(headers.get("vary")).toBe("accept-encoding");
    expect(headers.get("cache-control")).toBe("public, max-age=300, stale-while-revalidate=86400");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    expect(text.match(/<script.*/g)).toEqual(['<script src="/docs/guides/search.js" type="module"></script>']);
  }
  expect(page.text).toContain('<h2 id="the-webhook">The webhook</h2>');
  expect((await get("/docs")).text).toContain('href="/docs/guides/"');
  const [sheet] = /\/docs\/guides\/style-\w+\.css/.exec(page.text) ?? [];
  expect((await get(String(sheet))).headers.get("content-type")).toMatch(/^text\/css/);
});

test("a guide is revalidated by its ETag, and sent uncompressed to clients that don't accept compression", async () => {
  const plain = await get("/docs/guides/keys/", { "accept-encoding": "identity" });
  expect([plain.headers.get("content-encoding"), plain.status]).toEqual([null, 200]);
  const { headers } = await get("/docs/guides/keys/");
  const again = await get("/docs/guides/keys/", { "if-none-match": headers.get("etag") ?? "" });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("a guide's URL without its final slash redirects, and an unknown guide isn't found", async () => {
  expect((await get("/docs/guides/keys")).headers.get("location")).toBe("/docs/guides/keys/");
  const gone = await get("/docs/guides/gone/");
  expect([gone.status, gone.headers.get("content-type")]).toEqual([404, expect.stringMatching(/html/)]);
  expect(gone.text).toContain('<a href="/docs/guides/">all guides</a>');
});
