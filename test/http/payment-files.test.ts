import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { XmlDocument, XmlElement, type XmlNode, XsdValidator } from "libxml2-wasm";
import { describe, expect, test } from "vitest";
import type { PayFile } from "#api/payment-files/formats.ts";
import { layouts, writeFile } from "#api/payment-files/sort-lines.ts";
import { currencyCodes, currencyExponent } from "#domain/currency.ts";
import { type PayFormat, payFormats } from "#domain/pay-format.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { accounts, type Line, payee, sort } from "./pay-lines.ts";

const payer = { name: "Café & Söhne GmbH", iban: "DE89370400440532013000", bic: null };
async function* inPages(lines: readonly Line[], size = 2) {
  for (let from = 0; from < Math.max(1, lines.length); from += size) yield { page: lines.slice(from, from + size) };
}

/** The content of each payment file for these lines. */
async function filesOf(format: PayFormat, lines: readonly Line[], changes: Partial<PayFile> = {}): Promise<string[]> {
  const { parts } = sort(lines);
  const written = parts[format].map(async ({ after, ...sums }) => {
    const file = { programId: 3, payoutId: 12, reference: "2026-03", currency: "EUR", payer, day: "2026-03-01" };
    const behind = lines.filter(({ partnerId }) => partnerId > after);
    const whole = { ...file, createdAt: Date.UTC(2026, 2, 1, 9, 30), ...sums, ...changes } as PayFile;
    let text = "";
    for await (const part of writeFile(format, whole, inPages(behind))) text += part;
    return text;
  });
  return await Promise.all(written);
}

test("a payout's other lines stay in the same payment files if a payment fails between two downloads, or if a payee is refused", () => {
  const files = (changed?: Partial<Line>, holder?: string) => {
    const lines = Array.from({ length: 1_002 }, (_, i) => {
      const partnerId = (i + 1) as Line["partnerId"];
      return partnerId === 5 ? payee("wise", { partnerId, ...changed }, holder) : payee("wise", { partnerId });
    });
    return sort(lines).parts.wise.map(({ after, lineCount }) => ({ after, lineCount }));
  };
  expect(files()).toEqual([
    { after: 0, lineCount: 1_000 },
    { after: 1_000, lineCount: 2 },
  ]);
  const withoutOne = [
    { after: 0, lineCount: 999 },
    { after: 1_000, lineCount: 2 },
  ];
  expect(files({ state: "failed" })).toEqual(withoutOne);
  expect(files({}, "Zoe")).toEqual(withoutOne);
});

const fileOf = async (...args: Parameters<typeof filesOf>): Promise<string> => (await filesOf(...args)).join("");

const schema = XsdValidator.fromDoc(
  XmlDocument.fromString(await readFile(new URL("../support/pain.001.001.09.xsd", import.meta.url), "utf8")),
);
const prefixes = { p: "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09" };

/** Validates a bank file against the standard's schema. Returns the texts at a path such as "CdtTrfTxInf/Cdtr/Nm". */
function read(xml: string) {
  const document = XmlDocument.fromString(xml);
  schema.validate(document);
  return (path: string): string[] =>
    document
      .find(`//p:${path.replaceAll("/", "/p:")}`, prefixes)
      .flatMap((node: XmlNode) => (node instanceof XmlElement ? [node.content] : []));
}

const hostile = {
  quotes: `Ada "the" O'Neil`,
  separators: "Ada;Lovelace,Countess|of\tLovelace",
  formula: "=cmd|'/c calc'!A0",
  another: "+1-1@SUM(A1)",
  lines: "Ada\r\n=1+1\nLovelace",
  markup: "Ada <b>&amp;</b> ]]> Söhne",
  emoji: "Ada 🧑🏽‍💻",
  onlyEmoji: "🧑🏽‍💻",
  cyrillic: "Щерьо Жеков",
  greek: "Θεοδώρα Ψυχή",
  chinese: "李小龍",
  long: "Ä".repeat(200),
};

test("the PayPal file has no header row, and each row has the six cells that PayPal reads", async () => {
  expect(parseCsv(await fileOf("paypal", [payee("paypal")]))).toEqual([
    ["ada@pay.example", "1234,56", "EUR", "7", "2026-03", "PAYPAL"],
  ]);
});

test("the Wise file has the columns of Wise's template, and its amounts are what the partner receives", async () => {
  expect(parseCsv(await fileOf("wise", [payee("wise")]))).toEqual([
    [
      ...["name", "recipientEmail", "paymentReference", "receiverType"],
      ...["amountCurrency", "amount", "sourceCurrency", "targetCurrency"],
    ],
    ["Ada Lovelace", "ada@wise.example", "2026-03", "PERSON", "target", "1234.56", "EUR", "EUR"],
  ]);
});

test("the Wise file has names without commas, in composed Unicode characters", { tags: "finding" }, async () => {
  const [, line] = parseCsv(await fileOf("wise", [payee("wise", {}, "Mu\u0308ller, Anna")]));
  expect(line?.[0]).toBe("Müller Anna");
});

test("the bank file is valid by the standard, and has payer, payees, amounts and date", async () => {
  const lines = [payee("bank"), payee("bank", { partnerId: 8 as Line["partnerId"], amountCents: 1 }, "Bob")];
  const at = read(await fileOf("sepa", lines));
  expect(at("GrpHdr/MsgId")).toEqual(["PAYOUT-3-c"]);
  expect(at("GrpHdr/CreDtTm")).toEqual(["2026-03-01T09:30:00Z"]);
  expect([at("GrpHdr/NbOfTxs"), at("PmtInf/NbOfTxs")]).toEqual([["2"], ["2"]]);
  expect([at("GrpHdr/CtrlSum"), at("PmtInf/CtrlSum")]).toEqual([["1234.57"], ["1234.57"]]);
  expect(at("ReqdExctnDt/Dt")).toEqual(["2026-03-01"]);
  expect([at("Dbtr/Nm"), at("DbtrAcct/Id/IBAN")]).toEqual([["Cafe + Sohne GmbH"], [payer.iban]]);
  expect(at("DbtrAgt/FinInstnId/Othr/Id")).toEqual(["NOTPROVIDED"]);
  expect([at("SvcLvl/Cd"), at("ChrgBr")]).toEqual([["SEPA"], ["SLEV"]]);
  expect(at("PmtId/EndToEndId")).toEqual(["P12-7", "P12-8"]);
  expect(at("Amt/InstdAmt")).toEqual(["1234.56", "0.01"]);
  expect(at("Cdtr/Nm")).toEqual(["Ada Lovelace", "Bob"]);
  expect(at("CdtrAcct/Id/IBAN")).toEqual([accounts.bank, accounts.bank]);
  expect(at("RmtInf/Ustrd")).toEqual(["2026-03 ada", "2026-03 ada"]);
});

test("the bank file has the payer's BIC if it is known", async () => {
  const at = read(await fileOf("sepa", [payee("bank")], { payer: { ...payer, bic: "COBADEFFXXX" } }));
  expect(at("DbtrAgt/FinInstnId/BICFI")).toEqual(["COBADEFFXXX"]);
});

const refusedNames = {
  paypal: [],
  wise: ["another", "emoji", "onlyEmoji", "cyrillic", "greek", "chinese", "long"],
  sepa: ["onlyEmoji", "chinese"],
};

describe.each(Object.entries(hostile))("a name of %s", (kind, holder) => {
  test("an account holder's name in unusual characters is written to the bank file in characters that every bank accepts, or left out with its line", async () => {
    const lines = [payee("bank", {}, holder), payee("bank", { partnerId: 8 as Line["partnerId"] })];
    const at = read(await fileOf("sepa", lines, { reference: holder, payer: { ...payer, name: holder } }));
    expect(at("Cdtr/Nm")).toHaveLength(refusedNames.sepa.includes(kind) ? 1 : 2);
    for (const text of [...at("Cdtr/Nm"), ...at("Dbtr/Nm"), ...at("RmtInf/Ustrd")]) {
      expect(text).toMatch(/^[A-Za-z0-9?:().,'+-](?:[A-Za-z0-9/?:().,'+ -]*[A-Za-z0-9?:().,'+-])?$/);
      expect(text).not.toContain("//");
    }
    for (const text of at("Cdtr/Nm")) expect(text.length).toBeLessThanOrEqual(70);
  });

  test.each(["paypal", "wise"] as const)(
    "a name in unusual characters is written to the %s file as plain text without a leading apostrophe, or left out with its line",
    async (format) => {
      const lines = [payee(format, { name: holder }, holder)];
      const rows = parseCsv(await fileOf(format, lines, { reference: holder })).slice(format === "wise" ? 1 : 0);
      const isRefused = refusedNames[format].some((each) => each === kind);
      expect(rows).toHaveLength(isRefused ? 0 : 1);
      const [row] = rows;
      if (row === undefined) return;
      expect(row).toHaveLength(format === "wise" ? 8 : 6);
      for (const cell of row) expect(cell).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N} .,'()&/+@-]*)?$/u);
      if (format === "wise") expect(row[0]).not.toBe("");
    },
  );
});

test.each([
  ["Щерьо Жеков", "Shteryo Zhekov"],
  ["Θεοδώρα Ψυχή", "Theodora Psychi"],
  ["Łukasz Strauß-Ærø", "Lukasz Strauss-Aero"],
  ["Jürgen & Ñandú", "Jurgen + Nandu"],
  ["//Ada//", "Ada"],
])("the name %s is %s in a bank file", async (holder, shown) => {
  const at = read(await fileOf("sepa", [payee("bank", { name: "🧑" }, holder)]));
  expect(at("Cdtr/Nm")).toEqual([shown]);
});

test.each([
  ["paypal", "USD", 123_456, "1234.56"],
  ["paypal", "JPY", 123_456, "123456"],
  ["paypal", "HUF", 123_400, "1234"],
  ["paypal", "SEK", 5, "0,05"],
  ["wise", "JPY", 123_456, "123456"],
  ["wise", "USD", 5, "0.05"],
] as const)("a %s file in %s writes %i as %s", async (format, currency, amountCents, text) => {
  const rows = parseCsv(await fileOf(format, [payee(format, { currency, amountCents })]));
  expect(rows.at(-1)?.[format === "wise" ? 5 : 1]).toBe(text);
});

test.each([
  ["an email address that a spreadsheet would evaluate as a formula", payee("paypal"), "=1+1@pay.example"],
  ["an email address with a separator", payee("wise"), "ada;b@wise.example"],
  ["an IBAN that SEPA transfers can't reach", payee("bank"), "BR1800360305000010009795493C1"],
  ["a fraction that PayPal can't pay", payee("paypal", { currency: "HUF", amountCents: 150 }), "ada@pay.example"],
  [
    "more yen than Wise pays to an email address",
    payee("wise", { currency: "JPY", amountCents: 1_000_001 }),
    "a@wise.example",
  ],
  ["more euros than the maximum of a transfer", payee("bank", { amountCents: 100_000_000_000 }), accounts.bank],
])("a payout line with %s is excluded from the payment files", (_, line, account) => {
  const details = line.details && { ...line.details, account };
  const { parts, rest, refused } = sort([{ ...line, details }]);
  expect(Object.values(parts).flat()).toEqual([]);
  expect(rest).toEqual({ lineCount: 1, totalCents: line.amountCents });
  expect(refused).toMatchObject([{ ...rest, partners: [{ partnerId: line.partnerId, partnerCode: "ada" }] }]);
});

test("a payment service gets several files if its lines don't fit one, each with at most 1,000 lines", async () => {
  const lines = Array.from({ length: 2_001 }, (_, i) =>
    payee("wise", { partnerId: (i + 1) as Line["partnerId"], amountCents: i + 1 }),
  );
  const files = (await filesOf("wise", lines)).map((file) => parseCsv(file).slice(1));
  expect(files.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
  expect(files.flat().map((row) => Math.round(Number(row[5]) * 100))).toEqual(
    lines.map(({ amountCents }) => amountCents),
  );
});

test("the download of a file is aborted if one of its lines fails while the file is written", async () => {
  const file = { lineCount: 2, totalCents: 2 * 123_456 };
  await expect(fileOf("paypal", [payee("paypal")], file)).rejects.toThrow("changed while its file was written");
});

const methods = ["paypal", "wise", "bank", "other", undefined] as const;
const payout = fc.record({
  currency: fc.constantFrom("EUR", "EUR", "USD", "JPY", "HUF", ...currencyCodes()),
  payees: fc.array(
    fc.record({
      method: fc.constantFrom(...methods),
      amountCents: fc.integer({ min: 1, max: 200_000_000_000 }),
      holder: fc.string({ unit: "binary", maxLength: 100 }),
      account: fc.constantFrom("ada@pay.example", "=a@b.example", "ä@b.example"),
    }),
    { maxLength: 12 },
  ),
});

/** The amount in the currency's smallest unit. */
const centsOf = (text: string, currency: string): number => {
  const [whole = "", decimals = ""] = text.split(/[.,]/);
  const digits = currencyExponent(currency) ?? 2;
  return Number(`${whole}${decimals.padEnd(digits, "0")}`);
};

function amountsIn(format: PayFormat, text: string): readonly string[] {
  if (format === "sepa") return read(text)("Amt/InstdAmt");
  return format === "wise"
    ? parseCsv(text)
        .slice(1)
        .map((row) => row[5] ?? "")
    : parseCsv(text).map((row) => row[1] ?? "");
}

test("the lines in a payout's payment files and the excluded lines add up to the payout's number of lines and amount", async () => {
  await fc.assert(
    fc.asyncProperty(payout, async ({ currency, payees }) => {
      const lines = payees.map(({ method, amountCents, holder, account }, i) => {
        const line = payee(method, { partnerId: (i + 1) as Line["partnerId"], amountCents, currency }, holder);
        const isAddress = method === "paypal" || method === "wise";
        return isAddress && line.details ? { ...line, details: { ...line.details, account } } : line;
      });
      const { inOtherCurrency, rest } = sort(lines);
      const written = await Promise.all(
        payFormats.map(async (format) => {
          const amounts = (await filesOf(format, lines, { currency })).flatMap((file) => amountsIn(format, file));
          return amounts.map((amount) => centsOf(amount, currency));
        }),
      );
      const unwritten = [...Object.values(inOtherCurrency), rest];
      const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
      expect(sum(written.flat()) + sum(unwritten.map(({ totalCents }) => totalCents))).toBe(
        sum(lines.map(({ amountCents }) => amountCents)),
      );
      expect(written.flat().length + sum(unwritten.map(({ lineCount }) => lineCount))).toBe(lines.length);
    }),
    { numRuns: 300 },
  );
});

test("the currencies that each payment service accepts are all known to the service", () => {
  for (const format of payFormats) {
    const taken = currencyCodes().filter((currency) => layouts[format].takesCurrency(currency));
    expect(taken.length).toBe({ paypal: 23, wise: 26, sepa: 1 }[format]);
  }
});
