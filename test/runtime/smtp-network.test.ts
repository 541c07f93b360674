import { once } from "node:events";
import type { AddressInfo } from "node:net";
import os from "node:os";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { smtpSender } from "../../scripts/service/smtp.ts";
import { smtpSettingsOf } from "../../scripts/service/smtp-settings.ts";

test("sending to a server on a machine without a network writes nothing to the console", async () => {
  // Nodemailer reads the network interfaces once per process, so this file has no other test.
  const { lo = [] } = os.networkInterfaces();
  const loopback = lo.length > 0 ? lo : Object.values(os.networkInterfaces()).flatMap((all = []) => all);
  vi.spyOn(os, "networkInterfaces").mockReturnValue({ lo: loopback.filter(({ internal }) => internal) });
  const warn = vi.spyOn(console, "warn");
  const server = new SMTPServer({ authOptional: true, closeTimeout: 10, disabledCommands: ["STARTTLS"] });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const settings = smtpSettingsOf({ SMTP_URL: `smtp://localhost:${port}`, MAIL_FROM: "mail@shop.example" });
  if (settings === undefined) throw new Error("there are no settings");
  const letter = { id: "mail_1", to: "ada@example.com", subject: "Paid", text: "Hello", html: "<p>Hello</p>" };
  expect(await smtpSender(settings)(letter)).toMatchObject({ isSent: true });
  expect(warn).not.toHaveBeenCalled();
});
