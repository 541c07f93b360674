import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { usersOfFile } from "../support/users-fixture.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const people = usersOfFile();

interface Saved {
  readonly data: { readonly embedId: string; readonly tokensEndedAt: string | null } | null;
}

test("an owner sets up the embedded referral page, and revokes its tokens", { tags: "soak" }, async () => {
  const world = await people.world();
  const path = `/api/programs/${world.programId}/embed`;
  const saved = async () => (await people.owner.get<Saved>(path)).body.data;
  const at = `/programs/${world.programId}/settings?section=embed`;
  const page = await openDashboard(newContext, { user: people.owner, at });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const unseen = page.getByText("No page can show the referral page yet.");
  await unseen.waitFor();
  await page.getByLabel("Origins of your product").fill("https://app.example/page");
  await page.getByLabel("Accent color").fill("blue");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("without a path").waitFor();
  expect(await page.getByLabel("Accent color").getAttribute("aria-invalid")).toBe("true");
  await expectAccessible(page);
  await page.getByLabel("Origins of your product").fill("https://app.example\nhttp://localhost:3000");
  await page.getByLabel("Accent color").fill("#1F6FEB");
  await page.getByLabel("Radius of corners").fill("8");
  await page.getByLabel("Font").selectOption("Serif");
  await page.getByLabel("Payouts", { exact: true }).selectOption("Hidden");
  await page.getByLabel("Reports of missing sales").selectOption("Shown");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await unseen.waitFor({ state: "detached" });
  const data = await saved();
  expect(data).toMatchObject({
    origins: ["https://app.example", "http://localhost:3000"],
    theme: { accent: "#1f6feb", background: null, text: null, radius: 8, font: "serif" },
    show: { commissions: true, payouts: false, claims: true },
    tokensEndedAt: null,
  });
  await page.getByText(data?.embedId ?? "no id").waitFor();
  await expectAccessible(page);

  await page.getByRole("button", { name: "End all tokens" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End all tokens" }).click();
  await page.getByText("Last ended:").waitFor();
  expect(await saved()).toMatchObject({ ...data, tokensEndedAt: expect.stringMatching(/Z$/) });
  const audit = await openDashboard(newContext, {
    user: people.owner,
    at: `/programs/${world.programId}/settings?section=audit`,
  });
  await audit.getByText("Changed the embedded referral page").first().waitFor();
});
