import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { sharedService } from "../support/shared-service.ts";

const directory = inject("built").publicDirectory;
const scripts = (folder: string) =>
  readdirSync(join(directory, folder))
    .filter((file) => file.endsWith(".js"))
    .map((file) => `/${folder}/${file}`);

const answerTo = (path: string, encoding: string) =>
  fetch(sharedService.url + path, { headers: { "accept-encoding": encoding } });

const files = ["/js/svc-tracker.js", "/llms.txt", "/favicon.svg", "/app/", "/partner/"];

test.each([...files, ...scripts("app/assets").slice(0, 1), ...scripts("partner/assets").slice(0, 1)])(
  "the static file %s is compressed for a client that accepts compression",
  { tags: ["finding"] },
  async (path) => {
    const [compressed, plain] = await Promise.all(["gzip, br", "identity"].map((encoding) => answerTo(path, encoding)));
    expect(compressed?.headers.get("content-encoding")).toBe("gzip");
    expect(compressed?.headers.get("vary")).toContain("accept-encoding");
    expect(plain?.headers.get("content-encoding")).toBeNull();
    expect(await compressed?.text()).toBe(await plain?.text());
  },
);

test("robots.txt allows crawlers only the documentation, the tracking script and llms.txt", {
  tags: ["finding"],
}, async () => {
  const answer = await answerTo("/robots.txt", "identity");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  const lines = (await answer.text()).trim().split("\n");
  expect(lines.filter((line) => line.startsWith("Disallow"))).toEqual(["Disallow: /"]);
  const allowed = lines.flatMap((line) => /^Allow: (\S+)$/.exec(line)?.[1] ?? []);
  expect(allowed).toEqual(["/docs", "/js/", "/llms.txt"]);
});

test("favicon.ico redirects to the icon", { tags: ["finding"] }, async () => {
  const answer = await answerTo("/favicon.ico", "identity");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
  expect(answer.url).toBe(`${sharedService.url}/favicon.svg`);
});

test.each(["/api/v1/openapi.json", "/api/auth/get-session", "/healthz"])(
  "the response from %s isn't compressed",
  async (path) => {
    expect((await answerTo(path, "gzip")).headers.get("content-encoding")).toBeNull();
  },
);
