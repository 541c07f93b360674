import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { startChild } from "../../scripts/service/child.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { buildSdk } from "../../sdk/build.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { examples } from "./store.ts";

const visitor = isolatedBrowser();

/** Copies an example to an empty folder, with the packed SDK. */
async function copyOf(example: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tributary-example-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = join(root, "examples", example);
  await cp(source, folder, { recursive: true, filter: (path) => !path.includes("node_modules") });
  await mkdir(join(folder, "node_modules/@hono"), { recursive: true });
  for (const name of ["@hono/node-server", "express", "hono", "stripe"]) {
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  await buildSdk(join(folder, "node_modules/tributary-sdk/dist"));
  await cp(join(root, "sdk/package.json"), join(folder, "node_modules/tributary-sdk/package.json"));
  return folder;
}

test.each(sampled(examples))(
  "the example %s starts on its own: a visitor follows a partner's link, signs up, and becomes a lead",
  async (example) => {
    const shop = await createProgramFixture();
    const folder = await copyOf(example);
    const port = await freePort();
    const child = await startChild(node, ["server.ts"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        TRIBUTARY_URL: sharedService.url,
        TRIBUTARY_API_KEY: shop.world.key,
        TRIBUTARY_PROGRAM_ID: String(shop.world.programId),
        STRIPE_SECRET_KEY: "sk_test_unused",
        STRIPE_WEBHOOK_SECRET: "whsec_unused",
      },
    });
    onTestFinished(() => child.stop());
    if (child.process.stdout === null) throw new Error("no output");
    const [said] = await once(child.process.stdout, "data");
    expect(String(said)).toBe(`http://localhost:${port}/?aff=DEMO\n`);

    const context = await visitor();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`http://localhost:${port}/?aff=${shop.alice.code}`);
    await page.evaluate("svc.ready");
    await page.fill("[name=email]", "buyer@shop.example");
    await page.click("text=Sign up");
    await page.waitForSelector("text=Signed up, not paid.");
    await expect.poll(() => shop.all("leads")).toMatchObject([{ partner_code: shop.alice.code, evidence: "key" }]);
  },
);

test.each([...examples, "next"])("the README of %s lists every variable that it reads", async (example) => {
  const folder = join(root, "examples", example);
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const used = execFileSync(
    "grep",
    ["-rhoE", "\\b(NEXT_PUBLIC_)?(TRIBUTARY|STRIPE)_[A-Z_]+\\b", ".", "--include=*.ts", "--include=*.tsx"],
    { cwd: folder, encoding: "utf8" },
  );
  for (const name of new Set(used.trim().split("\n"))) expect(readme).toContain(name);
});
