import { describe, expect, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { nameInMail } from "#domain/mail/harmless.ts";
import { quoted } from "#domain/mail/letter.ts";
import * as letters from "#domain/mail/letters.ts";
import { openMail, sealMail } from "#domain/mail/sealed-mail.ts";

const hostile = 'Shop\r\nBcc: all@example.com <b onclick="x">\u202e';
const origin = "https://tributary.example";
const ofLine = {
  ...{ programId: 1 as ProgramId, partnerId: 7 as PartnerId, hasAccount: true, unit: null },
  number: 3,
  sums: {
    ...{ openingCents: 0, earnedCents: 0, refundedCents: 0, adjustedCents: 0 },
    ...{ returnedCents: 0, paidCents: 0, closingCents: 0 },
  },
};
const paid = { ...ofLine, programName: hostile, origin, amountCents: 123_456, currency: "EUR", reference: "2026-10" };

const all = [
  letters.partnerInvitation({ programName: hostile, partnerName: hostile, link: `${origin}/#/?a=1&b=2`, days: 7 }),
  letters.applicationReceived({ programName: hostile, origin }),
  letters.applicationApproved({ programName: hostile, origin }),
  letters.applicationDeclined({ programName: hostile, origin, partnerNote: hostile }),
  letters.detailsChanged({ ...paid, what: "email" }),
  letters.payoutPaid(paid),
  letters.lineFailed({ ...paid, partnerNote: hostile }),
  letters.verifyAddress({ link: `${origin}/#/v`, hours: 24 }),
  letters.passwordReset({ link: `${origin}/#/r`, minutes: 60 }),
];

describe("an email", () => {
  test.each(all.map((letter) => [letter.text.slice(0, 40), letter] as const))(
    "an email shows the name %j as plain text",
    (_, letter) => {
      expect(letter.subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
      expect(letter.text).not.toMatch(/\r|\nBcc/);
      expect(letter.html).not.toContain("<b ");
      expect(letter.html.match(/<a href="/g)).toHaveLength(1);
    },
  );

  test("an email to a partner without an account has no link to a sign-in, and names whom to ask for access", () => {
    const of = { ...paid, programName: "Shop", partnerNote: null, hasAccount: false };
    const mails = [letters.payoutPaid(of), letters.statement(of), letters.lineFailed(of)];
    for (const { text, html } of [...mails, letters.detailsChanged({ ...of, what: "payment" })]) {
      expect(text).not.toMatch(/https?:|password|Sign in/);
      expect(html).not.toContain("<a ");
    }
    for (const { text } of mails) expect(text).toContain("ask Shop for an invitation");
  });

  test("an email contains the amount in its currency, and of all notes only the one meant for the partner", () => {
    const { subject, text } = letters.lineFailed({ ...paid, programName: "Shop", partnerNote: "Wrong IBAN\nSorry" });
    expect(subject).toBe("Your payment of €1,234.56 from Shop came back");
    expect(text).toContain("> Wrong IBAN\n> Sorry\n\n");
    expect(letters.lineFailed({ ...paid, partnerNote: null }).text).not.toContain(">\u0020");
  });
});

const ring = parseDataKeys(`1:${Buffer.alloc(32, 1).toString("base64url")}`);
if (ring === undefined) throw new Error("no ring");
const iv = new Uint8Array(12);

test("an email is stored encrypted, and can be decrypted only for its own row and program", async () => {
  const mail = { to: "ada@example.com", subject: "s", text: "t", html: "<p>t</p>" };
  const sealed = await sealMail(ring, { id: "m1", programId: 7 }, mail, iv);
  expect(sealed).not.toContain(mail.to);
  expect(await openMail(ring, { id: "m1", programId: 7 }, sealed)).toEqual(mail);
  for (const other of [
    { id: "m2", programId: 7 },
    { id: "m1", programId: 8 },
    { id: "m1", programId: null },
  ]) {
    expect(await openMail(ring, other, sealed)).toBeUndefined();
  }
});

test("an email to a partner whose name has no visible characters greets the partner without a name", () => {
  const { text } = letters.partnerInvitation({
    programName: "Shop",
    partnerName: "\u200b\u2800",
    link: origin,
    days: 7,
  });
  expect(text).toMatch(/^Hello,\n/);
});

describe("text from users in an email", () => {
  const named = (name: string) => letters.applicationReceived({ programName: name, origin }).subject;

  test.each([
    ["Your parcel waits, pay at https://evil.example/pay", "Your parcel waits, pay at evil example/pay"],
    ["www.evil.example", "www evil example"],
    ["EVIL.EXAMPLE:8443/x?y=1", "EVIL EXAMPLE:8443/x?y=1"],
    ["evil。example", "evil example"],
    ["ｅｖｉｌ．ｅｘａｍｐｌｅ", "ｅｖｉｌ ｅｘａｍｐｌｅ"],
    ["ann@evil.example", "ann at evil example"],
    ["mailto:ann", "mailto ann"],
    ["hxxp://1.2.3.4", "1 2 3 4"],
    ["Acme Inc.", "Acme Inc."],
    ["Dr. Ada & Co. (Berlin)", "Dr. Ada & Co. (Berlin)"],
    ["Müller's Läden…", "Müller's Läden…"],
  ])("text from users in an email doesn't turn into a link: %j", (name, shown) => {
    expect(named(name)).toBe(`${shown} received your application`);
  });

  test("text from users in an email is shortened to 60 characters, except for a note", () => {
    const [name] = named("😀".repeat(255)).split(" received");
    expect([...(name ?? "")]).toEqual([...Array(59).fill("😀"), "…"]);
    const note = `See https://evil.example/${"x".repeat(400)}`;
    const { text, html } = letters.lineFailed({ ...paid, partnerNote: note });
    expect(text).toContain(`> See evil example/${"x".repeat(400)}`);
    expect(html).not.toContain("evil.example");
  });

  test("text from users in an email adds nothing that looks like an address, so the service's link is the only one", () => {
    const name = "Pay: https://evil.example/x, www.evil.example, ann@evil.example";
    const of = {
      ...ofLine,
      programName: name,
      origin,
      amountCents: 1,
      currency: "EUR",
      reference: name,
      partnerNote: name,
    };
    const written = [
      letters.partnerInvitation({ programName: name, partnerName: name, link: origin, days: 7 }),
      letters.applicationReceived(of),
      letters.applicationApproved(of),
      letters.applicationDeclined(of),
      letters.detailsChanged({ ...of, what: "payment" }),
      letters.payoutPaid(of),
      letters.lineFailed(of),
    ];
    for (const { subject, text, html } of written) {
      const all = [subject, text, html].join("\n").replaceAll(origin, "");
      expect(all).not.toMatch(/evil\.example|www\.|@|:\/\/(?!tributary)/);
    }
  });

  test("text from users in an email keeps amounts, dates and references", () => {
    expect(quoted("We paid 12.50 of 25.00 EUR, 1.234,56 follow.")).toBe(
      "> We paid 12.50 of 25.00 EUR, 1.234,56 follow.",
    );
    expect(nameInMail("2026.05-EUR")).toBe("2026.05-EUR");
  });
});
