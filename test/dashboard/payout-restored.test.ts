import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { supersedeWriters } from "#store/supersede-writers.ts";
import type { JsonObject } from "../../harness/client.ts";
import { databaseAt } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { sampled } from "../support/breadth.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const own = isolatedService();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

interface Refused {
  readonly error: { readonly details: { readonly restoredAt?: string } } | null;
}

/** Opens a final payout of a service that was restored after the payout was finalized. */
async function openFinal(
  owner: User,
  settledBy: "person" | "api",
): Promise<{ readonly page: Page; readonly statusOf: () => Promise<unknown> }> {
  const world = await own.world({ members: [{ user: owner, role: "owner" }] });
  const path = `/api/programs/${world.programId}`;
  const bonus = { currency: "EUR", reason: "Bonus", reference: "one", amountCents: 2_000 };
  await owner.post(`${path}/partners/${world.partner.id}/adjustments`, bonus);
  const { body } = await owner.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR", settledBy });
  const { id } = body.data;
  // If an earlier test has restored the service, finalizing this payout requires an acknowledgment of that restore.
  const finalize = (json: JsonObject) => owner.post<Refused>(`${path}/payouts/${id}/finalize`, json);
  const first = await finalize({});
  const { restoredAt } = first.body.error?.details ?? {};
  const { status } = restoredAt === undefined ? first : await finalize({ restoreAcknowledged: restoredAt });
  expect(status).toBe(200);
  await supersedeWriters(databaseAt(own.database.url));
  const at = `/programs/${world.programId}/payouts/${id}`;
  const page = await openDashboard(newContext, { user: owner, url: owner.url, at });
  const statusOf = async () => (await world.rows("select status from payouts where id = ?", id))[0]?.status;
  return { page, statusOf };
}

async function acknowledge(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Were partners paid since the backup?" });
  await dialog.getByText("This payout was final in the backup.").waitFor();
  await expectAccessible(page);
  await dialog.getByLabel("I know what happened to this payout").check();
  await dialog.getByRole("button", { name: action, exact: true }).click();
}

const uses: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "marked as paid": async (page) => {
    await button(page, "Mark as paid…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Mark as paid", exact: true }).click();
    await acknowledge(page, "Mark as paid");
    await page.getByText("Payout recorded.").waitFor();
  },
  canceled: async (page) => {
    await button(page, "Cancel payout…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel payout", exact: true }).click();
    await acknowledge(page, "Cancel payout");
    await page.getByText("Payout canceled.").waitFor();
  },
  "given back": async (page) => {
    await page.getByRole("button", { name: "Give back" }).click();
    const dialog = page.getByRole("dialog", { name: "Give back?" });
    await dialog.getByLabel("Reason").fill("No customer");
    await dialog.getByRole("button", { name: "Give back", exact: true }).click();
    await acknowledge(page, "Give back");
    await page.getByText("Line given back.").waitFor();
  },
  downloaded: async (page) => {
    await button(page, "Payment list (CSV)").click();
    const download = page.waitForEvent("download");
    await acknowledge(page, "Download");
    await download;
  },
};
const statuses: Readonly<Record<string, string>> = {
  "marked as paid": "paid",
  canceled: "canceled",
  "given back": "canceled",
};

test.each(sampled(Object.entries(uses), 1))(
  "a payout that was final in a backup is %s only after the user has answered a question about it",
  async (use, act) => {
    const { page, statusOf } = await openFinal(await own.user(), use === "given back" ? "api" : "person");
    await act(page);
    expect(await statusOf()).toBe(statuses[use] ?? "final");
  },
);
