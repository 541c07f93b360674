import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { giveAccess } from "../support/partner-side.ts";
import { expectAccessible, openDashboard, settled } from "./support.ts";

const newContext = isolatedBrowser();
const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

let owner: User;
let partner: User;
beforeAll(async () => {
  [owner, partner] = await Promise.all([own.user("Olga"), own.user("Pia")]);
});

/** Anna and Bob have access to their pages, and Cy hasn't. All but Bob have an email address. */
async function open(path: string) {
  mailer.answerWith(accepting);
  const world = await own.world({
    partners: [
      { name: "Anna", code: `anna-${Date.now().toString(36)}` },
      { name: "Bob", code: `bob-${Date.now().toString(36)}` },
      { name: "Cy", code: `cy-${Date.now().toString(36)}` },
    ],
    members: [{ user: owner, role: "owner" }],
  });
  const { programId, partners } = world;
  const [anna = 0, bob = 0, cy = 0] = partners.map(({ id }) => id);
  for (const id of [anna, cy]) {
    await world.change({
      sql: "update partners set email = 'p' || id || '@example.com', email_hash = 'of ' || id where id = ?",
      args: [id],
    });
  }
  for (const partnerId of [anna, bob]) await giveAccess(world, { user: partner, partnerId });
  const page = await openDashboard(newContext, {
    user: owner,
    at: `/programs/${programId}/${path.replace("ANNA", String(anna))}`,
    url: own.service.url,
  });
  const templates = async (count: number) =>
    (
      await eventually(
        () => world.rows("select template from mails where program_id = ?", programId),
        (rows) => rows.length === count,
      )
    ).map(({ template }) => template);
  return { world, page, bob, cy, templates };
}

test("an owner emails selected partners a request for payment details, and sees why the other partners can't be asked", async () => {
  const { page, templates } = await open("partners");
  await page.getByLabel("Select all on this page").check();
  await page.getByRole("region", { name: "Selection" }).getByText("3 selected").waitFor();
  await page.getByRole("button", { name: "Ask for payment details…" }).waitFor();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Ask 2 of 3 partners for payment details?" });
  await dialog.getByText("1 partner: Without access to their pages: invite them first.").waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Ask 2 partners" }).click();
  await page.getByText("2 partners asked by mail, 1 left out.").waitFor();
  await page.getByText("Cy: Without access to their pages: invite them first.").waitFor();
  await settled(page);
  await expectAccessible(page);
  expect(await templates(2)).toEqual(["details_requested", "details_requested"]);

  // Cy is still selected.
  await page.getByText("1 selected").waitFor();
  await page.getByRole("button", { name: "Invite by mail…" }).click();
  const invite = page.getByRole("dialog", { name: "Invite 1 partner by mail?" });
  await expectAccessible(page);
  await invite.getByRole("button", { name: "Invite 1 partner" }).click();
  await page.getByText("1 partner invited by mail.").waitFor();
  expect((await templates(3)).toSorted()).toEqual(["details_requested", "details_requested", "partner_invitation"]);

  await page.getByLabel("Select all on this page").check();
  await page.getByRole("button", { name: "Invite by mail…" }).click();
  const none = page.getByRole("dialog", { name: "Invite 0 of 3 partners by mail?" });
  await none.getByText("3 partners: with access or an open invitation already").waitFor();
  expect(await none.getByRole("button", { name: "Invite 0 partners" }).isDisabled()).toBe(true);
});

test("an owner requests payment details on a partner's page, and a second request on the same day sends no email", async () => {
  const { page, templates } = await open("partners/ANNA?tab=details");
  const ask = page.getByRole("button", { name: "Ask for them" });
  await ask.click();
  await page.getByText("1 mail on the way.").waitFor();
  await ask.click();
  await page.getByText("1 was mailed before.").waitFor();
  expect(await templates(1)).toEqual(["details_requested"]);
  await expectAccessible(page);
});

test("the draft of a payout lets an owner request payment details from the partners who have none", async () => {
  const { world, page, bob, cy, templates } = await open("payouts");
  const program = `/api/programs/${world.programId}`;
  const bonus = { amountCents: 1_000, currency: "EUR", reason: "agreed", reference: "bonus" };
  for (const id of [bob, cy])
    expect((await owner.post(`${program}/partners/${id}/adjustments`, bonus)).status).toBe(201);
  await world.write({
    sql: `insert into payment_details (id, program_id, partner_id, method, last4, ciphertext, digest, seal_id, set_by, created_at)
      values (?, ?, ?, 'other', 'ount', 'sealed', 'digest', ?, 'account', ?)`,
    args: [cy, world.programId, cy, `seal ${cy}`, Date.now()],
  });
  const draft = async () => {
    const { status, text, body } = await owner.post<{ data: { id: number } }>(`${program}/payouts`, {
      currency: "EUR",
    });
    expect(status, text).toBe(201);
    return body.data.id;
  };
  const first = await draft();
  await page.goto(`/app/programs/${world.programId}/payouts/${first}`);
  await page.getByText("No way to pay: 1 partner").waitFor();
  await page.getByRole("button", { name: "Ask for them" }).click();
  await page.getByText("1 mail on the way.").waitFor();
  expect(await templates(1)).toEqual(["details_requested"]);
  await expectAccessible(page);

  expect((await owner.post(`${program}/payouts/${first}/cancel`, {})).status).toBe(200);
  expect((await owner.patch(program, { requireDetails: true })).status).toBe(200);
  await page.goto(`/app/programs/${world.programId}/payouts/${await draft()}`);
  await page.getByRole("button", { name: "Ask 1 partner for payment details" }).click();
  await page.getByText("1 was mailed before.").waitFor();
});

test("the draft of a payout offers to email only partners with an account, and to invite partners without one", {
  tags: "soak",
}, async () => {
  const { world, page, bob } = await open("payouts");
  const program = `/api/programs/${world.programId}`;
  const added = await owner.post<{ data: { id: number } }>(`${program}/partners`, { code: "dee", name: "Dee" });
  expect(added.status, added.text).toBe(201);
  const dee = added.body.data.id;
  const draftFor = async (ids: number[]) => {
    const made = await owner.post<{ data: { id: number } }>(`${program}/payouts`, { currency: "EUR", partnerIds: ids });
    expect(made.status, made.text).toBe(201);
    await page.goto(`/app/programs/${world.programId}/payouts/${made.body.data.id}`);
    return made.body.data.id;
  };
  const bonus = { amountCents: 1_000, currency: "EUR", reason: "agreed", reference: "bonus" };
  for (const id of [bob, dee])
    expect((await owner.post(`${program}/partners/${id}/adjustments`, bonus)).status).toBe(201);
  const first = await draftFor([bob, dee]);
  await page.getByText("No way to pay: 2 partners").waitFor();
  const invite = page.getByRole("link", { name: "Invite the partner" });
  expect(await invite.getAttribute("href")).toMatch(new RegExp(`/partners/${dee}$`));
  const ask = page.getByRole("button", { name: "Ask for them" });
  await ask.click();
  await page.getByText("1 mail on the way.").waitFor();
  expect(await page.getByText(/without access/).count()).toBe(0);
  expect((await owner.post(`${program}/payouts/${first}/cancel`, {})).status).toBe(200);
  await draftFor([dee]);
  await invite.waitFor();
  expect(await ask.count()).toBe(0);
});
