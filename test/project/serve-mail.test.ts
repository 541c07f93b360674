/** @module-tag soak */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import { createSession, signUp } from "../../harness/session.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { tributary } from "../support/tributary.ts";
import { serve, stop } from "./started.ts";

interface Letter {
  readonly to: string;
  readonly text: string;
}

/** Starts an SMTP server on this machine that refuses the password until `accepts` is true. */
async function smtpServer() {
  const letters: Letter[] = [];
  const state = { accepts: false, refusals: 0 };
  const server = new SMTPServer({
    closeTimeout: 10,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onAuth: (_, __, done) => {
      if (state.accepts) return done(null, { user: "shop" });
      state.refusals += 1;
      done(Object.assign(new Error("no"), { responseCode: 535 }));
    },
    onData: (stream, { envelope }, done) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address).join();
        letters.push({ to, text: text.replaceAll("=\r\n", "").replaceAll("=3D", "=") });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { letters, state, url: `smtp://shop:secret@127.0.0.1:${port}` };
}

test("invitation, verification and reset emails arrive at an SMTP server that first refused the password", async () => {
  const smtp = await smtpServer();
  const data = await mkdtemp(join(tmpdir(), "tributary-mail-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const env = { SMTP_URL: smtp.url, MAIL_FROM: "Shop <mail@shop.example>" };
  const service = await serve({ data, port: await freePort(), args: ["--base-url", "https://tributary.example"], env });
  onTestFinished(() => stop(service.child));
  expect(service.log).toMatch(/Emails are sent by SMTP, by 127\.0\.0\.1:\d+, from Shop <mail@shop\.example>/);
  expect(service.log + service.errors).not.toContain("secret@");

  expect(await tributary(["mail", "test", "a@shop.example"], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("the sign-in was answered with 535"),
  });
  const invitation = await expect
    .poll(() => readFile(join(data, "first-owner.txt"), "utf8").catch(() => ""))
    .toContain("token=")
    .then(() => readFile(join(data, "first-owner.txt"), "utf8"));
  const email = "olga@shop.example";
  const owner = await signUp(service.url, { email, invitation: /token=([\w-]+)/.exec(invitation)?.[1] ?? "" });
  await expect.poll(() => smtp.state.refusals).toBeGreaterThan(1);
  expect(smtp.letters).toEqual([]);
  await expect.poll(() => service.log).toContain("the sign-in was answered with 535. It is tried again.");
  smtp.state.accepts = true;
  const of = (to: string) => smtp.letters.filter((letter) => letter.to === to).map(({ text }) => text);
  // The email is sent again after five seconds.
  await expect.poll(() => of(email).length).toBe(1);
  const token = /token=([\w-]+)/.exec(of(email)[0] ?? "")?.[1] ?? "";
  expect((await owner.post("/api/auth/verify-email", { token })).status).toBe(200);

  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const created = await owner.post<{ data: { id: number } }>("/api/programs", {
    workspaceId: workspace.body.data.id,
    name: "Shop",
  });
  const partners = `/api/programs/${created.body.data.id}/partners`;
  const partner = { name: "Ada", code: "ADA", email: "ada@partner.example" };
  const { body } = await owner.post<{ data: { id: number } }>(partners, partner);
  const invited = await owner.post(`${partners}/${body.data.id}/invitations`, {});
  expect(invited.status, invited.text).toBe(201);
  await createSession(service.url).post("/api/auth/forgot-password", { email });
  await expect.poll(() => of(email).length).toBe(2);
  await expect.poll(() => of(partner.email).length).toBe(1);
  expect(of(email)[1]).toMatch(/reset-password\S*token=/);
  expect(of(partner.email)[0]).toMatch(/\/partner\/#\S*token=/);
  expect(await tributary(["mail", "test", email], env)).toMatchObject({ code: 0 });
  expect(of(email)).toHaveLength(3);
  expect(service.log).not.toContain(email);
});
