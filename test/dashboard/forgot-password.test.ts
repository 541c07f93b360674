import { expect, test } from "vitest";
import { isolatedBrowser } from "../support/browser.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { expectAccessible, expectNoSidewaysScroll, openDashboard } from "./support.ts";

const newContext = isolatedBrowser();
const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

test.each(["app", "partner"] as const)(
  "the app at /%s/ resets a forgotten password by email",
  { tags: "soak" },
  async (app) => {
    const { url } = own.service;
    const user = await own.user();
    const page = await openDashboard(newContext, { app, at: "/sign-in", url, width: "phone" });
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Email").fill(user.email);
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);

    const [mail] = await eventually(
      async () => mailer.to(user.email),
      (mails) => mails.length === 1,
    );
    const link = /^http\S+$/m.exec(mail?.text ?? "")?.[0] ?? "";
    await page.goto(link);
    await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
    expect(page.url()).toBe(`${url}/${app}/reset-password`);
    await page.getByLabel("New password").fill("a new password");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed. Sign in with the new one.").waitFor();
    await page.getByLabel("Email").fill(user.email);
    await page.getByLabel("Password").fill("a new password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: app === "app" ? "Name your workspace" : "No program yet" }).waitFor();

    const again = await openDashboard(newContext, { app, at: link.slice(`${url}/${app}`.length), url });
    await again.getByLabel("New password").fill("another password");
    await again.getByRole("button", { name: "Change password" }).click();
    await again.getByText("This reset link is invalid, expired or already used").waitFor();
    await again.getByRole("button", { name: "Get a new link" }).click();
    await again.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  },
);
