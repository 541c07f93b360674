import { createHash } from "node:crypto";
import { expect, inject, test } from "vitest";
import { sharedService } from "../support/shared-service.ts";

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${sharedService.url}/${path}`, { headers });

test("the script is served with a one-hour cache, and revalidated by its ETag", async () => {
  const answer = await get("js/svc-tracker.js");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^(text|application)\/javascript/);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=3600, stale-while-revalidate=86400");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  const etag = answer.headers.get("etag") ?? "";
  expect(etag).toMatch(/"\w+"/);
  expect((await get("js/svc-tracker.js", { "if-none-match": etag })).status).toBe(304);
});

test("the copy with a content hash in its name is served with a one-year cache, and matches its published integrity hash", async () => {
  const { hashedFile, integrity } = inject("tracker");
  expect(hashedFile).toMatch(/^js\/svc-tracker\.[0-9a-f]{16}\.js$/);
  const answer = await get(hashedFile);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  const content = Buffer.from(await answer.arrayBuffer());
  expect(integrity).toBe(`sha384-${createHash("sha384").update(content).digest("base64")}`);
  expect(content.equals(Buffer.from(await (await get("js/svc-tracker.js")).arrayBuffer()))).toBe(true);
});

test("a missing script returns 404", async () => {
  expect((await get("js/svc-tracker.0000000000000000.js")).status).toBe(404);
});

test("the script's TypeScript declarations are served next to it, as text", { tags: ["finding"] }, async () => {
  const types = await get("js/svc-tracker.d.ts");
  expect(await types.text()).toContain("getClickId(): string | undefined");
  expect(types.headers.get("content-type")).toBe("text/plain; charset=utf-8");
});
