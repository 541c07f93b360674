import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { expectAccessible, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

test("the link in an emailed invitation fills in name and email at sign-up, and the link shown to the owner doesn't", async () => {
  const { url } = own.service;
  const owner = await own.user("Olga");
  const { programId, partner, change } = await own.world({
    partners: [{ name: "Anna Larsson" }],
    members: [{ user: owner, role: "owner" }],
  });
  const email = `${randomUUID()}@people.example`;
  await change({
    sql: "update partners set email = ?1, email_hash = 'of an address' where id = ?2",
    args: [email, partner.id],
  });
  const path = `/api/programs/${programId}/partners/${partner.id}/invitations`;
  const { body } = await owner.post<{ data: { inviteUrl: string } }>(path, {});
  const [mail] = await eventually(
    async () => mailer.to(email).filter(({ template }) => template === "partner_invitation"),
    (mails) => mails.length === 1,
  );
  const mailed = /^http\S+$/m.exec(mail?.text ?? "")?.[0] ?? "";
  const filledIn = async (link: string) => {
    const at = link.slice(`${url}/partner`.length);
    const page = await openDashboard(newContext, { app: "partner", at, url, width: "phone" });
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByText("You've been invited to").waitFor();
    await expectAccessible(page);
    return Promise.all(["Name", "Email"].map((label) => page.getByLabel(label).inputValue()));
  };
  expect(await filledIn(mailed)).toEqual(["Anna Larsson", email]);
  expect(await filledIn(body.data.inviteUrl)).toEqual(["", ""]);
});
