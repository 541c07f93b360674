import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { startExample } from "./start-example.ts";
import { examples } from "./store.ts";

const visitor = isolatedBrowser();

test.each(sampled(examples))(
  "the example %s starts on its own: a visitor follows a partner's link, signs up, and becomes a lead",
  async (example) => {
    const shop = await createProgramFixture();
    const address = await startExample(example, {
      TRIBUTARY_URL: sharedService.url,
      TRIBUTARY_API_KEY: shop.world.key,
      TRIBUTARY_PROGRAM_ID: String(shop.world.programId),
      STRIPE_SECRET_KEY: "sk_test_unused",
      STRIPE_WEBHOOK_SECRET: "whsec_unused",
    });
    expect(address).toMatch(/^http:\/\/localhost:\d+\/\?aff=DEMO$/);

    const context = await visitor();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(address.replace("DEMO", shop.alice.code));
    await page.evaluate("svc.ready");
    await page.fill("[name=email]", "buyer@shop.example");
    await page.click("text=Sign up");
    await page.waitForSelector("text=Signed up, not paid.");
    await expect.poll(() => shop.all("leads")).toMatchObject([{ partner_code: shop.alice.code, evidence: "key" }]);
  },
);

test.each([...examples, "next", "embed"])("the README of %s lists every variable that it reads", async (example) => {
  const folder = join(root, "examples", example);
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const used = execFileSync(
    "grep",
    ["-rhoE", "\\b(NEXT_PUBLIC_)?(TRIBUTARY|STRIPE)_[A-Z_]+\\b", ".", "--include=*.ts", "--include=*.tsx"],
    { cwd: folder, encoding: "utf8" },
  );
  for (const name of new Set(used.trim().split("\n"))) expect(readme).toContain(name);
});
