import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { RefusalCode } from "#domain/refusal.ts";
import { refusalExamples } from "#routes/openapi/refusal-examples.ts";
import { build, buildWorker, entryLimitGzipBytes, judgeSize, staticPath } from "../../scripts/build/build.ts";
import { apps, judgeDashboard } from "../../scripts/build/dashboard.ts";
import { judgeTracker, trackerLimitBrotliBytes } from "../../scripts/build/tracker.ts";
import { node, root } from "../../scripts/root.ts";
import { buildSdk } from "../../sdk/build.ts";
import { cloneInto, contentsOf, digestsOf } from "../support/clone.ts";

const built = inject("build");
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-build-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("the code compiled before the first request is within its size limit", () => {
  expect(built.entry.files.length).toBeGreaterThan(0);
  expect(built.entry.gzipBytes).toBeLessThanOrEqual(entryLimitGzipBytes);
});

test("the server imports the Worker as a separate file instead of bundling it", async () => {
  const server = await readFile(built.serverFile, "utf8");
  expect(server).toContain('"./worker.js"');
  expect(server.length).toBeLessThan(200_000);
});

test("the Worker and the server declare that they are modules", async () => {
  for (const folder of [built.workerDirectory, dirname(built.serverFile)]) {
    expect(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).toEqual({ type: "module" });
  }
});

test("the browser script is within its size limit, and the build rejects a larger script", () => {
  const { tracker } = built;
  expect(tracker.brotliBytes).toBeLessThanOrEqual(trackerLimitBrotliBytes);
  expect(judgeTracker(tracker)).toMatchObject({ isTooBig: false, text: expect.stringContaining(tracker.integrity) });
  expect(judgeTracker({ ...tracker, brotliBytes: trackerLimitBrotliBytes + 1 }).isTooBig).toBe(true);
});

test.each(["app", "partner", "embed"] as const)(
  "the page bundle %s is within its size limits, and the build rejects a larger one",
  (app) => {
    const sizes = { app: built.dashboard, partner: built.partnerApp, embed: built.embeddedPage }[app];
    const { limitGzipBytes, firstScreenLimitGzipBytes } = apps[app];
    expect(sizes.firstScreenGzipBytes).toBeGreaterThan(10_000);
    expect(sizes.gzipBytes).toBeGreaterThanOrEqual(sizes.firstScreenGzipBytes);
    expect(judgeDashboard(app, sizes).isTooBig).toBe(false);
    expect(judgeDashboard(app, { ...sizes, gzipBytes: limitGzipBytes + 1 }).isTooBig).toBe(true);
    expect(judgeDashboard(app, { ...sizes, firstScreenGzipBytes: firstScreenLimitGzipBytes + 1 }).isTooBig).toBe(true);
  },
);

test("the partners' app loads none of the pages for a program's owner", async () => {
  const assets = join(built.publicDirectory, "partner/assets");
  const scripts = (await readdir(assets)).filter((file) => file.endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(5);
  // Only the owner's pages call these routes.
  for (const file of scripts) {
    expect(await readFile(join(assets, file), "utf8"), file).not.toMatch(/\btracking\b|api-keys|\bworkspaces\[/);
  }
});

test("the documentation shows the browser script's current integrity hash", async () => {
  const page = await readFile(join(root, "docs/tracker.md"), "utf8");
  expect(page).toContain(`integrity="${built.tracker.integrity}"`);
  expect(page).toContain(`/${built.tracker.hashedFile}"`);
});

test("the browser script has no syntax later than ES2019, and doesn't evaluate text as code", async () => {
  const script = await readFile(join(built.publicDirectory, "js/svc-tracker.js"), "utf8");
  const minified = (target: string) => transform(script, { target, minifyWhitespace: true });
  expect((await minified("es2019")).code).toBe((await minified("esnext")).code);
  expect(script).not.toMatch(/\beval\b|\bFunction\(|innerHTML|document\.write/);
});

/** Returns the sources of a file, including static imports. */
const sourcesOf = (file: string): string[] =>
  staticPath(built.metafile, file).flatMap((part) => Object.keys(built.metafile.outputs[part]?.inputs ?? {}));
const outputWith = (source: string): string =>
  Object.entries(built.metafile.outputs).find(([, { inputs }]) => source in inputs)?.[0] ?? "";
const commonPasswords = /zxcvbn|common-passwords/;
const signIn = /zxcvbn|src\/http\/(hashing|password-hashes|derive-key)/;

test("a click compiles no code of session endpoints, sign-in or documents", () => {
  const sources = sourcesOf(outputWith("src/worker.ts"));
  expect(sources).toContain("src/routes/track/click.ts");
  const late =
    /src\/doors\/(member|operator|partner)|src\/routes\/(docs|openapi)|src\/store\/(accounts|reports|views)|src\/http\/refusal\/further-table|\/(bowser|tldts(-core)?)\//;
  expect(sources.filter((source) => late.test(source) || signIn.test(source))).toEqual([]);
  expect(sourcesOf(outputWith("src/domain/landing-program.ts")).some((source) => source.includes("/tldts/"))).toBe(
    true,
  );
});

test("tracking calls compile the descriptions of exactly those refusals that they return", async () => {
  // Uses a separate copy of the module, because another test in this process may have added the other entries.
  await buildWorker(join(directory, "refusals"), join(root, "src/http/refusal/table.ts"));
  const { entryOf }: typeof import("#http/refusal/table.ts") = await import(join(directory, "refusals/worker.js"));
  const hasEntry = (code: RefusalCode): boolean => {
    try {
      return entryOf(code).status >= 400;
    } catch {
      return false;
    }
  };
  const parts = ["src/worker.ts", "src/operations/customer-events.ts"].map(outputWith);
  const sources = [...new Set(parts.flatMap(sourcesOf))].filter((source) => source.startsWith("src/"));
  const texts = await Promise.all(sources.map((source) => readFile(join(root, source), "utf8")));
  const literals = texts
    .flatMap((text) => text.match(/\bcode: [^,}]+/g) ?? [])
    .flatMap((value) => value.match(/\w+(?=")/g));
  const codes = Object.values(refusalExamples).map(({ code }) => code);
  const named = codes.filter((code) => literals.includes(code));
  expect(named).toContain("customer_not_found");
  expect(codes.filter(hasEntry).length).toBeLessThan(codes.length);
  // Tracking never returns these two codes, although its sources contain them: only calls with a session are refused as
  // archived, and `notFound` is in a file that tracking also uses.
  expect(named.filter((code) => !hasEntry(code))).toEqual(["not_found", "program_archived"]);
});

test("the dashboard's reads don't compile the list of common passwords", () => {
  const sources = sourcesOf(outputWith("src/doors/member/index.ts"));
  expect(sources).toContain("src/doors/member/guards.ts");
  expect(sources.filter((source) => commonPasswords.test(source))).toEqual([]);
  expect(sourcesOf(outputWith("src/domain/common-passwords.ts")).some((source) => /zxcvbn/.test(source))).toBe(true);
});

test("the bundle contains no client of another database", () => {
  const sources = Object.keys(built.metafile.inputs);
  expect(sources.filter((source) => /\/(kysely|mongodb|prisma)/.test(source))).toEqual([]);
});

test("dynamically imported modules stay out of the entry file, and the build rejects an entry file above its size limit", async () => {
  const noise = Array.from({ length: 60_000 }, (_, i) => Math.sin(i).toString(36)).join();
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  await write("late.ts", `export const noise = ${JSON.stringify(noise)};`);
  await write("lazy.ts", 'export default { fetch: async () => new Response((await import("./late.ts")).noise) };');
  await write("eager.ts", 'import { noise } from "./late.ts";\nexport default { fetch: () => new Response(noise) };');

  const lazy = await buildWorker(join(directory, "lazy"), join(directory, "lazy.ts"));
  expect(lazy.entry.gzipBytes).toBeLessThan(1_000);
  expect(lazy.totalBytes).toBeGreaterThan(noise.length);
  expect(judgeSize(lazy).isTooBig).toBe(false);

  const eager = await buildWorker(join(directory, "eager"), join(directory, "eager.ts"));
  expect(judgeSize(eager)).toMatchObject({ isTooBig: true, text: expect.stringContaining("more than the limit") });
});

describe("a clone in a long path with a space", { tags: "soak" }, () => {
  const { NODE_ENV: nodeEnvOfTests, ...environment } = process.env;
  let clone: string;
  const run = (script: string, env: NodeJS.ProcessEnv = {}) =>
    promisify(execFile)(node, [join(clone, script)], { cwd: clone, env: { ...environment, ...env } });

  beforeAll(async () => {
    clone = await cloneInto(join(directory, "long path ".padEnd(119 - directory.length, "x")));
    expect(clone).toHaveLength(120);
    // The build fails if a file exceeds its size limit.
    await run("scripts/build/build.ts");
  });

  test("a clone in a long path with a space builds, without NODE_ENV, the same service as the one that the tests run", async () => {
    expect(nodeEnvOfTests).toBe("test");
    expect(await digestsOf(join(clone, "dist"))).toEqual(await digestsOf(inject("buildDirectory")));
  });

  test("a clone in a long path with a space builds the same service with any NODE_ENV", { tags: "soak" }, async () => {
    await run("scripts/build/build.ts", { NODE_ENV: "development" });
    expect(await digestsOf(join(clone, "dist"))).toEqual(await digestsOf(inject("buildDirectory")));
  });

  test("a clone in a long path with a space builds no file that contains the clone's path, and no development code", async () => {
    for (const [path, content] of await contentsOf(join(clone, "dist"))) {
      const text = content.toString("utf8");
      expect(text.includes(clone), path).toBe(false);
      if (path.startsWith("public/app/")) expect(text, path).not.toMatch(/columnNumber|jsxDEV|jsx-dev-runtime/);
    }
  });

  test("a clone in a long path with a space keeps the previous build if a build fails", { tags: "soak" }, async () => {
    const before = await digestsOf(join(clone, "dist"));
    await appendFile(join(clone, "src/worker.ts"), 'import "./nowhere.ts";\n');
    await expect(run("scripts/build/build.ts")).rejects.toMatchObject({
      stderr: expect.stringContaining("nowhere.ts"),
    });
    expect(await digestsOf(join(clone, "dist"))).toEqual(before);
  });

  test("a clone in a long path with a space builds the same SDK as the one that the tests use, also in parallel", {
    tags: "soak",
  }, async () => {
    await buildSdk(join(directory, "sdk"));
    await Promise.all([run("sdk/build.ts"), run("sdk/build.ts", { NODE_ENV: "development" })]);
    expect(await digestsOf(join(clone, "sdk/dist"))).toEqual(await digestsOf(join(directory, "sdk")));
  });
});

test("parallel builds leave a complete build", { tags: "soak" }, async () => {
  const place = join(directory, "at-once");
  await Promise.all(Array.from({ length: 2 }, () => build({ directory: place })));
  expect(await digestsOf(place)).toEqual(await digestsOf(inject("buildDirectory")));
});

test("a build can keep an earlier build's files, which open pages may still request, for a day, and otherwise removes them", {
  tags: "soak",
}, async () => {
  const place = join(directory, "kept");
  const part = (name: string) => join(place, "public/app/assets", name);
  const partsAfter = async (keepsParts: boolean) => {
    await build({ directory: place, keepsParts });
    return (await readdir(join(place, "public/app/assets"))).filter((name) => name.startsWith("earlier"));
  };
  await cp(inject("buildDirectory"), place, { recursive: true });
  await writeFile(part("earlier-today.js"), "");
  await writeFile(part("earlier-this-week.js"), "");
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  await utimes(part("earlier-this-week.js"), twoDaysAgo, twoDaysAgo);
  expect(await partsAfter(true)).toEqual(["earlier-today.js"]);
  expect(await partsAfter(false)).toEqual([]);
});

test("the rate limits in the response headers equal those of the bindings", async () => {
  const toml = await readFile(join(root, "wrangler.toml"), "utf8");
  const told = Object.fromEntries(
    [...toml.matchAll(/^([A-Z_]+)_PER_MINUTE = "(\d+)"/gm)].map(([, name, n]) => [name, n]),
  );
  const bound = Object.fromEntries(
    [...toml.matchAll(/name = "([A-Z_]+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}/g)].map(
      ([, name, n]) => [name, n],
    ),
  );
  const namespaces = [...toml.matchAll(/^namespace_id = "(\d+)"/gm)].map(([, id]) => id);
  expect(new Set(namespaces).size, "Cloudflare counts limits with the same id together").toBe(namespaces.length);
  const isSite = (name: string) => name.endsWith("_SITE_LIMIT");
  const names = Object.keys(bound);
  expect(names.filter((name) => !isSite(name))).toHaveLength(24);
  expect(told).toEqual(Object.fromEntries(Object.entries(bound).filter(([name]) => !isSite(name))));
  const sites = names.filter(isSite);
  expect(sites).toHaveLength(8);
  for (const name of sites) expect(Number(bound[name])).toBe(4 * Number(told[name.replace("_SITE", "")]));
});
