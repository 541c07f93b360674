import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { Partner } from "../../harness/world.ts";
import { sampled } from "../support/breadth.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

type Row = Readonly<Record<string, string>>;
type Item = Readonly<Record<string, unknown>>;

/** Parses CSV strictly by RFC 4180, with every cell in quotes. Throws at the first invalid character. */
function strictCsv(text: string): readonly Row[] {
  const lines: string[][] = [[]];
  const cell = /"((?:[^"]|"")*)"(,|\r\n)/y;
  const whole = text.replace(/^\uFEFF/, "");
  while (cell.lastIndex < whole.length) {
    const at = cell.lastIndex;
    const [, quoted, end] = cell.exec(whole) ?? [];
    if (quoted === undefined) throw new Error(`no cell at ${at}: ${JSON.stringify(whole.slice(at, at + 80))}`);
    lines.at(-1)?.push(quoted.replaceAll('""', '"'));
    if (end === "\r\n") lines.push([]);
  }
  const [head = [], ...rows] = lines.slice(0, -1);
  expect(rows.filter(({ length }) => length !== head.length)).toEqual([]);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
}

/** The text, with an apostrophe in front if a spreadsheet would evaluate it as a formula. */
const disarmed = (value: unknown): string => {
  let text = "";
  for (const [i, char] of [...String(value ?? "")].entries()) {
    const rest = [...String(value)]
      .slice(i)
      .join("")
      .replace(/^[" ]+/, "");
    if ((i === 0 || /[;\t\r\n]$/.test(text)) && /^[=+\-@＝＋－＠\t\r]/.test(rest)) text += "'";
    text += char;
  }
  return text;
};

const allNames = [
  "متجر الكتب, فرع «الأول»",
  'חנות "הספר" בע״מ; =1+1',
  "\u202Egnol yrev\u202C, then left to right",
  '=HYPERLINK("https://x.example","pay me")',
  "+49 30 123456",
  "-2+3",
  "@SUM(A1:A9)",
  "＝1＋1",
  '" =1',
  "it's, 'quoted'",
  '"',
  "שלום".repeat(63),
  "W".repeat(255),
  "=".repeat(255),
  "👩‍👩‍👧‍👦".repeat(23),
];
const names = sampled(allNames, 9);
const note = '=SUM(A1), "und" mehr; -1';

test("every downloaded file contains malicious texts as the API returns them, with formulas escaped", async () => {
  const shop = await payoutsFixture(people, { partners: names.map((name) => ({ name })) });
  const { world } = shop;
  const { partners } = world;
  const program = `/api/programs/${world.programId}`;
  for (const [i, { id }] of partners.entries()) {
    const email = `${i % 2 === 0 ? "+" : "-"}${i}@partners.example`;
    expect((await people.admin.patch(`${program}/partners/${id}`, { email, name: names[i] ?? "" })).status).toBe(200);
  }
  for (const [i, name] of names.entries()) {
    const customer_key = `${name.slice(0, 250)} ${i}`;
    await shop.refer(customer_key, { partner: partners[i] as Partner });
    const sold = await shop.sell({ transaction_id: name, customer_key, amount_cents: 5_000 + i });
    expect(sold.status, sold.text).toBe(200);
    expect((await shop.giveBack(name, { refund_id: name, refund_amount_cents: 100 })).status).toBe(200);
    const adjustment: JsonObject = {
      amountCents: 300,
      currency: "EUR",
      reason: name,
      reference: name,
      partnerNote: note,
    };
    const to = `${program}/partners/${partners[i]?.id}/adjustments`;
    const adjusted = await people.admin.post(to, adjustment);
    expect(adjusted.status, adjusted.text).toBe(201);
  }
  const terms = 'Zwei Zeilen,\r\n=SUM(A1)\n"und" mehr; -1';
  expect((await people.owner.patch(program, { payoutTerms: terms })).status).toBe(200);
  const reference = '=2026, "März"; -1';
  const { id } = (await shop.create({ reference })).body.data;
  await shop.finalize(id);
  expect((await shop.confirm(id, { note: '=cmd, "x"; +1' })).status).toBe(200);
  const failed = { reason: "-1, closed", partnerNote: note };
  expect((await people.admin.post(`${shop.path}/${id}/lines/${partners[0]?.id}/fail`, failed)).status).toBe(200);

  const file = async (path: string) => {
    const { status, text } = await people.admin.get(path, { checked: false });
    expect(status, text).toBe(200);
    return strictCsv(text);
  };
  const items = async (path: string): Promise<readonly Item[]> => {
    const { status, text, body } = await people.admin.get<{ data: Item[] }>(path);
    expect(status, text).toBe(200);
    return body.data;
  };
  /** The rows of the API and of the file, in the same order. */
  const agree = (rows: readonly Row[], expected: readonly Item[], columns: Readonly<Record<string, string>>) => {
    const ofRow = (row: Row) => Object.keys(columns).map((column) => row[column]);
    const ofItem = (item: Item) => Object.values(columns).map((field) => disarmed(item[field]));
    expect(rows.map(ofRow)).toEqual(expected.map(ofItem));
    expect(rows.length).toBeGreaterThanOrEqual(names.length);
  };

  const commissions = await items(`${program}/commissions`);
  const sale = { transactionId: "transactionId", customerKey: "customerKey", partnerCode: "partnerCode" };
  agree(await file(`${program}/commissions?format=csv`), commissions, sale);
  const accounting = { order_id: "transactionId", customer: "customerKey", partner_name: "partnerName" };
  agree(await file(`${program}/commissions?format=csv&columns=accounting`), commissions, accounting);
  expect(commissions.map(({ partnerName }) => partnerName).toSorted()).toEqual(names.toSorted());

  const ranking = `/api/tracking/performance/${world.programId}/partners?period=all`;
  const ranked = await items(ranking);
  agree(await file(`${ranking}&format=csv`), ranked, {
    partner: "name",
    partner_code: "code",
    email: "email",
  });

  const balances = { partner: "name", partner_code: "partnerCode", partner_id: "partnerId" };
  agree(await file(`${program}/balances?format=csv`), await items(`${program}/balances`), balances);

  const payout = (await people.admin.get<{ data: { lines: Item[] } & Item }>(`${shop.path}/${id}`)).body.data;
  const list = await file(`${shop.path}/${id}?format=csv`);
  agree(list, payout.lines, { partner: "name", partner_code: "partnerCode", email: "email" });
  expect(new Set(list.map((line) => line.reference))).toEqual(new Set([disarmed(reference)]));
  expect(await file(`${shop.path}?format=csv`)).toMatchObject([
    { reference: disarmed(payout.reference), note: disarmed(payout.note) },
  ]);

  for (const { id: partnerId } of sampled(partners, 2)) {
    const statement = `${program}/partners/${partnerId}/statement`;
    const { data } = (await people.admin.get<{ data: { name: string; entries: Item[] } }>(statement)).body;
    const rows = await file(`${statement}?format=csv`);
    expect(new Set(rows.map(({ partner }) => partner))).toEqual(new Set([disarmed(data.name)]));
    const columns = ["saleOn", "ref", "payoutReference", "partnerNote"] as const;
    expect(rows.slice(1, -1).map((row) => [row.sale_date, row.commission, row.payout, row.note])).toEqual(
      data.entries.map((entry) => columns.map((column) => disarmed(entry[column]))),
    );
  }

  const audit = await items(`${program}/audit`);
  const trail = await file(`${program}/audit?format=csv`);
  agree(trail.slice(0, audit.length), audit, {
    subjectName: "subjectName",
    partnerName: "partnerName",
    action: "action",
  });
  for (const [i, { before, after }] of audit.entries()) {
    const texts = [before, after].map((value) => disarmed(value === null ? "" : JSON.stringify(value)));
    expect([trail[i]?.before, trail[i]?.after]).toEqual(texts);
  }
});
