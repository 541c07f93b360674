import { globSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import Stripe from "stripe";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { lineOf, vendors } from "../../scripts/vendors/checked.ts";
import { apiVersions } from "../examples/stripe-payment.ts";
import { readDocument } from "../support/documents.ts";
import { execute } from "../support/tributary.ts";

const installed = (name: string) =>
  JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")) as {
    readonly version: string;
    readonly exports: Readonly<Record<string, unknown>>;
  };

test.each(vendors)("$page states which version it was checked against", (vendor) => {
  const line = /^Checked against .*$/m.exec(readDocument(vendor.page))?.[0];
  expect(line).toBe(lineOf(vendor));
});

test("the table of checked versions contains every processor for which the SDK has a helper", () => {
  const helpers = globSync("sdk/src/*/objects.ts", { cwd: root }).map((file) => basename(dirname(file)));
  const names = vendors.map(({ name }) => name.toLowerCase().replace(" ", "-"));
  expect(helpers.length).toBeGreaterThan(3);
  expect(helpers.filter((helper) => !names.includes(helper))).toEqual([]);
});

test.each(vendors.flatMap(({ package: own }) => own ?? []))(
  "$name $version is the version that the tests run",
  (own) => {
    expect(installed(own.name).version).toBe(own.version);
  },
);

/** The versions of the vendor's API that the vendor's package knows. */
const apisOf: Readonly<Record<string, () => readonly string[]>> = {
  Stripe: () => [Stripe.API_VERSION],
  Polar: () =>
    Object.keys(installed("@polar-sh/sdk").exports).flatMap((path) => /^\.\/([\d-]+)$/.exec(path)?.[1] ?? []),
  "Lemon Squeezy": () => {
    const code = readFileSync(join(root, "node_modules/@lemonsqueezy/lemonsqueezy.js/dist/index.js"), "utf8");
    return [...new Set(code.match(/(?<=["'`/])v\d+(?=\/)/g))];
  },
};

test.each(Object.entries(apisOf))("the API versions of %s equal those of its package", (vendor, apis) => {
  expect(vendors.find(({ name }) => name === vendor)?.apis).toEqual(apis());
});

test("the Stripe API version that is listed as checked is the newest version of the Stripe events in the tests", () => {
  expect(vendors.find(({ name }) => name === "Stripe")?.apis).toEqual(apiVersions.slice(-1));
});

/** Runs `npm run vendors` with a fake npm, which knows only these packages and their newest versions. */
async function askingNpm(versions: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), "tributary-npm-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const answers = Object.entries(versions).map(([name, version]) => {
    const time = { "0.1.0": "2024-01-02T03:04:05.678Z", [version]: "2026-12-24T18:00:00.000Z" };
    return `"view ${name} version time --json "*) echo '${JSON.stringify({ version, time })}' ;;`;
  });
  const unreachable = JSON.stringify({ error: { code: "ENOTFOUND", summary: "getaddrinfo" } }, null, 2);
  const lines = ["#!/bin/sh", 'case "$* " in', ...answers, `*) echo '${unreachable}'; exit 1 ;;`, "esac", ""];
  await writeFile(join(folder, "npm"), lines.join("\n"));
  await chmod(join(folder, "npm"), 0o755);
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return execute("sh", ["-c", scripts.vendors], { PATH: `${folder}:${process.env.PATH}` });
}

const checked = Object.fromEntries(vendors.flatMap(({ package: own }) => (own ? [[own.name, own.version]] : [])));

test("npm run vendors succeeds if no package is newer", async () => {
  const { code, stdout, stderr } = await askingNpm({ ...checked, "@paddle/paddle-node-sdk": "3.9.10" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [head = "", ...rows] = stdout.split("\n\n")[0]?.split("\n") ?? [];
  expect(head.split(/\s{2,}/)).toEqual(["vendor", "checked", "on", "newest", "of"]);
  expect(rows.map((row) => row.split(/\s{2,}/)[0])).toEqual(vendors.map(({ name }) => name));
  expect(stdout).not.toContain("  1. ");
  expect(stdout).toMatch(/RevenueCat has no package\. Read what changed since \S+: https:\S+\n$/);
});

test("npm run vendors fails if a package is newer, and prints what to do", async () => {
  const { code, stdout, stderr } = await askingNpm({ ...checked, "@polar-sh/sdk": "1.0.10", stripe: "100.0.0" });
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^Polar +@polar-sh\/sdk 1\.0\.1 +\S+ +1\.0\.10 +2026-12-24$/m);
  expect(stdout).toContain("\nStripe has stripe 100.0.0:\n  1. ");
  expect(stdout).toContain("\nPolar has @polar-sh/sdk 1.0.10:\n  1. ");
  expect(stdout.match(/^ {2}1\. /gm)).toHaveLength(2);
  for (const path of stdout.match(/(?<=[ :])(test|docs|scripts)\/[\w/.-]*\w/g) ?? []) {
    expect(globSync(`${path}*`, { cwd: root }), path).not.toEqual([]);
  }
});

test("npm run vendors prints which packages npm doesn't know", async () => {
  const offline = await askingNpm({});
  expect(offline).toMatchObject({ code: 3, stdout: expect.stringMatching(/^Stripe .* \?$/m) });
  expect(offline.stderr).toMatch(/^\nnpm got no answer about stripe \(ENOTFOUND\), .*offline/);
  const { stripe: _, ...others } = checked;
  const some = await askingNpm({ ...others, standardwebhooks: "2.0.0" });
  expect(some).toMatchObject({ code: 1, stderr: expect.stringMatching(/no answer about stripe \(ENOTFOUND\)\./) });
});
