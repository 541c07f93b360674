import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import { signedHeaders } from "#deliver/signature.ts";
import { unsubscribeHeaders, unsubscribeLink, unsubscribeToken } from "#domain/mail/unsubscribe.ts";
import { type SmtpParts, smtpSender } from "../../scripts/service/smtp.ts";
import { startSmtpMailer } from "../../scripts/service/smtp-mailer.ts";
import { smtpSettingsOf } from "../../scripts/service/smtp-settings.ts";
import { certify } from "../support/certify.ts";

const { key, cert } = certify("DNS:localhost,IP:127.0.0.1");
const mail = {
  template: "payout_paid",
  to: "ada@example.com",
  subject: "Paid €5",
  text: "Hello\n",
  html: "<p>Hello</p>",
};

interface Setup extends SMTPServerOptions {
  readonly scheme?: "smtp" | "smtps";
  readonly query?: string;
  readonly user?: string;
  readonly parts?: SmtpParts;
  readonly answersWithinMs?: number | undefined;
}

const refusal = (responseCode: number) => Object.assign(new Error("no, ada@example.com"), { responseCode });

/** Starts a mailer, and the SMTP server to which it sends emails. */
async function mailer({ scheme = "smtp", query = "", user = "", parts = {}, answersWithinMs, ...options }: Setup = {}) {
  const received: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 10,
    key,
    cert,
    secure: scheme === "smtps",
    onData: (stream, _, done) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      stream.on("end", () => {
        received.push(text);
        done();
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => sockets.add(socket));
  const die = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return {
    received,
    die,
    ...(await mailerTo(`${scheme}://${user}localhost:${port}${query}`, { parts, answersWithinMs })),
  };
}

async function mailerTo(url: string, { parts = {}, answersWithinMs }: Pick<Setup, "parts" | "answersWithinMs"> = {}) {
  const warnings: string[] = [];
  const settings = smtpSettingsOf({ SMTP_URL: url, MAIL_FROM: "Shop <mail@shop.example>" });
  if (settings === undefined) throw new Error("there are no settings");
  const send = smtpSender(settings, { certificateAuthorities: [cert], patienceMs: 5_000, ...parts });
  const warn = (message: string) => void warnings.push(message);
  const { hook, secret, close } = await startSmtpMailer({ send, warn, ...(answersWithinMs && { answersWithinMs }) });
  onTestFinished(close);
  const post = async (id = "mail_1", by = secret, headers: Readonly<Record<string, string>> = {}) => {
    const body = JSON.stringify({ ...mail, headers });
    const answer = await fetch(hook, {
      method: "POST",
      body,
      headers: await signedHeaders({ id, body }, [by], Date.now()),
    });
    if (answer.status === 204) return "sent";
    return answer.headers.has("tributary-final") ? "final" : answer.status;
  };
  return { post, warnings };
}

const again = 503;

test("an email is sent with its sender, recipient and subject, as text and as HTML", async () => {
  const { post, received } = await mailer();
  expect(await post()).toBe("sent");
  const [letter = ""] = received;
  expect(letter).toMatch(/^From: Shop <mail@shop\.example>\r$/m);
  expect(letter).toMatch(/^To: ada@example\.com\r$/m);
  expect(letter).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(letter).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(letter).toContain("Content-Type: text/plain");
  expect(letter).toContain("Content-Type: text/html");
});

test("headers for one-click unsubscribing reach the server as one line each", async () => {
  const { post, received } = await mailer();
  const link = unsubscribeLink("https://tributary.example", unsubscribeToken("secret", randomUUID()));
  expect(await post("mail_1", undefined, unsubscribeHeaders(link))).toBe("sent");
  const [letter = ""] = received;
  const lines = letter.split("\r\n");
  expect(lines).toContain(`List-Unsubscribe: <${link}>`);
  expect(lines).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
});

test("a call without a valid signature sends nothing", async () => {
  const { post, received } = await mailer();
  expect(await post("mail_1", "another secret of this length, or so")).toBe(401);
  expect(received).toEqual([]);
});

const answers: readonly (readonly [string, Setup, string | number, string])[] = [
  [
    "refuses the recipient",
    { onRcptTo: (_, __, done) => done(refusal(550)) },
    "final",
    "RCPT TO was answered with 550",
  ],
  ["defers the recipient", { onRcptTo: (_, __, done) => done(refusal(450)) }, again, "RCPT TO was answered with 450"],
  [
    "refuses the message",
    { onData: (stream, _, done) => void stream.resume().on("end", () => done(refusal(554))) },
    "final",
    "DATA was answered with 554",
  ],
  [
    "defers the message",
    { onData: (stream, _, done) => void stream.resume().on("end", () => done(refusal(451))) },
    again,
    "DATA was answered with 451",
  ],
  ["refuses the sender", { onMailFrom: (_, __, done) => done(refusal(550)) }, again, "MAIL FROM was answered with 550"],
  ["refuses the connection", { onConnect: (_, done) => done(refusal(554)) }, again, "was answered with 554"],
  [
    "refuses the password",
    { user: "shop:secret@", onAuth: (_, __, done) => done(refusal(535)) },
    again,
    "the sign-in was answered with 535",
  ],
  ["has a certificate that isn't trusted", { parts: { certificateAuthorities: [] } }, again, "certificate"],
  [
    "has a certificate that isn't trusted, with smtps",
    { scheme: "smtps", parts: { certificateAuthorities: [] } },
    again,
    "certificate",
  ],
  ["doesn't respond", { onConnect: () => {}, parts: { patienceMs: 100 } }, again, "ETIMEDOUT"],
];

test.each(answers)(
  "the mailer responds with the right kind of failure if the server %s",
  async (_, setup, outcome, reason) => {
    const { post, warnings, received } = await mailer(setup);
    expect(await post()).toBe(outcome);
    expect(received).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(reason)]);
    expect(warnings[0]).toContain(outcome === "final" ? "It isn't sent again." : "It is tried again.");
    expect(warnings[0]).not.toContain("ada@example.com");
  },
);

test("the mailer responds with a temporary failure if the server is unreachable", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const { post, warnings } = await mailerTo(`smtp://127.0.0.1:${port}`);
  expect(await post()).toBe(again);
  expect(warnings[0]).toContain("ECONNREFUSED");
});

test("a server that dies while receiving the message receives the same Message-ID in the retry", async () => {
  const ids: (string | undefined)[] = [];
  let die: (() => void) | undefined;
  const { post, ...server } = await mailer({
    onData: (stream, _, done) => {
      let text = "";
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      stream.on("end", () => {
        ids.push(/^Message-ID: (\S+)/im.exec(text)?.[1]);
        if (die === undefined) done();
        // The server closes without a response, so it may have stored the message.
        else die();
      });
    },
  });
  die = server.die;
  expect(await post()).toBe(again);
  die = undefined;
  expect(await post()).toBe("sent");
  expect(await post("mail_2")).toBe("sent");
  expect(ids[0]).toMatch(/^<[0-9a-f]{32}@shop\.example>$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test("an email whose delivery finishes after the call timed out isn't sent again", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let taken = 0;
  const { post } = await mailer({
    answersWithinMs: 50,
    onData: (stream, _, done) =>
      void stream.resume().on("end", () => {
        taken += 1;
        void held.then(() => done());
      }),
  });
  expect(await post()).toBe(again);
  expect(await post()).toBe(again);
  release();
  await expect.poll(() => post()).toBe("sent");
  expect(taken).toBe(1);
});

test("a password is sent after STARTTLS, and the sign-in is retried after a refusal", async () => {
  const seen: unknown[] = [];
  let accepts = false;
  const { post, received } = await mailer({
    user: "shop%40example.com:p%3Ass@",
    onAuth: ({ username, password }, session, done) => {
      seen.push([username, password, session.secure]);
      if (accepts) done(null, { user: username });
      else done(refusal(535));
    },
  });
  expect(await post()).toBe(again);
  accepts = true;
  expect(await post()).toBe("sent");
  expect(seen).toEqual(Array.from({ length: 2 }, () => ["shop@example.com", "p:ss", true]));
  expect(received).toHaveLength(1);
});

test("smtps is encrypted from the first byte", async () => {
  const { post, received } = await mailer({ scheme: "smtps" });
  expect(await post()).toBe("sent");
  expect(received).toHaveLength(1);
});

test.each([
  ["smtp://mail.example", { port: 587, isSecure: false, requiresTls: true }],
  ["smtp://mail.example?starttls=off", { requiresTls: false }],
  ["smtp://127.0.0.1:25", { port: 25, requiresTls: false }],
  ["smtps://mail.example/", { port: 465, isSecure: true, requiresTls: false }],
  ["smtp://[2001:db8::1]:25", { host: "2001:db8::1" }],
])("the SMTP URL %s has the settings %j", (url, settings) => {
  expect(smtpSettingsOf({ SMTP_URL: url, MAIL_FROM: "mail@shop.example" })).toMatchObject(settings);
});

test("a server on another machine without STARTTLS receives neither password nor email", async () => {
  const seen: string[] = [];
  const server = createServer((socket) => {
    socket.write("220 mail.example\r\n");
    socket.setEncoding("utf8").on("data", (line) => {
      seen.push(
        String(line)
          .trim()
          .replace(/^EHLO .*/, "EHLO"),
      );
      socket.write(String(line).startsWith("EHLO") ? "250-mail.example\r\n250 AUTH PLAIN\r\n" : "502 no\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const settings = smtpSettingsOf({ SMTP_URL: "smtp://shop:secret@mail.example", MAIL_FROM: "mail@shop.example" });
  if (settings === undefined) throw new Error("there are no settings");
  const send = smtpSender({ ...settings, host: "127.0.0.1", port }, { patienceMs: 5_000 });
  expect(await send({ ...mail, id: "mail_1" })).toMatchObject({ isSent: false, isFinal: false });
  expect(seen).toEqual(["EHLO", "STARTTLS"]);
});
