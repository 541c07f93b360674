/** @module-tag soak */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@libsql/client/http";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dayAfter, dayIn, dayMs, endOfDay } from "#domain/calendar.ts";
import type { Database } from "#store/database.ts";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { createApi } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { openClient, openStore } from "../../scripts/database/client.ts";
import { root } from "../../scripts/root.ts";
import { sampleName, timezone } from "../../scripts/sample/shop.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { start, stop } from "../project/started.ts";
import { isolatedBrowser } from "../support/browser.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { type Statement, sumOf } from "../support/statements-fixture.ts";
import { finalize } from "./finalize.ts";
import { openDashboard, settled } from "./support.ts";

const currencies = ["EUR", "USD"] as const;
type Currency = (typeof currencies)[number];

interface Balance {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly currency: Currency;
  readonly pendingCents: number;
  readonly payableCents: number;
  readonly inPayoutCents: number;
  readonly paidCents: number;
  readonly carriedCents: number;
}

const newContext = isolatedBrowser();
/** The last day of the first payouts, after the payouts that the sample program already has. */
const lastDay = dayIn(timezone, Date.now() - 10 * dayMs);
const nextDay = dayAfter(lastDay);

let data: string;
let child: ChildProcess | undefined;
let database: Client;
let restored: Database;
let owner: Session;
let programId: number;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "tributary-walk-"));
  const options = { port: await freePort(), cwd: root, args: ["--data", data], hasSample: true };
  const { url } = await start({
    ...options,
    onSpawn: (spawned) => {
      child = spawned;
    },
  });
  const { databaseUrl, databaseAuthToken } = JSON.parse(await readFile(join(data, "running.json"), "utf8"));
  database = openClient({ url: databaseUrl, authToken: databaseAuthToken });
  restored = openStore({ url: databaseUrl, authToken: databaseAuthToken });
  const { user } = JSON.parse(await readFile(join(data, "demo.json"), "utf8"));
  owner = createSession(url);
  expect((await owner.post("/api/auth/sign-in/email", user)).status).toBe(200);
  const sample = await vi.waitUntil(
    async () => (await rows("select id from programs where name = ?", sampleName)).at(0),
    { timeout: 60_000, interval: 200 },
  );
  programId = Number(sample.id);
});

afterAll(async () => {
  if (child !== undefined) await stop(child);
  await rm(data, { recursive: true, force: true });
});

const rows = async (sql: string, ...args: (string | number)[]) => (await database.execute({ sql, args })).rows;

const open = () => openDashboard(newContext, { user: owner, url: owner.url, at: `/programs/${programId}/payouts` });
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const dialog = (page: Page) => page.getByRole("dialog");

const moneyIn = (text: string): number => (text === "–" ? 0 : Number(text.replaceAll(/[^\d-]/g, "")));

/** Reads the table's rows as texts by column. */
async function readTable(page: Page, caption: string): Promise<Readonly<Record<string, string>>[]> {
  const table = page.getByRole("table", { name: caption, exact: true });
  const heads = await table.locator("thead th").allTextContents();
  const texts = await Promise.all(
    (await table.locator("tbody tr").all()).map((row) => row.locator("td").allInnerTexts()),
  );
  return texts.map((cells) => Object.fromEntries(heads.map((head, i) => [head, cells[i] ?? ""])));
}

/** The partner's name, which is above the code in the cell. */
const nameIn = (cell: string | undefined): string => cell?.split("\n")[0] ?? "";

type Amounts = readonly (readonly [name: string, amountCents: number])[];

const sorted = (amounts: Amounts): Amounts => amounts.toSorted(([one], [other]) => one.localeCompare(other));
const linesOf = async (page: Page): Promise<Amounts> =>
  sorted((await readTable(page, "Lines")).map(({ Partner = "", Amount = "" }) => [nameIn(Partner), moneyIn(Amount)]));

/**
 * Computes each partner's payable amount from the entries of commissions approved by the end of the last day, and from
 * the payments until then.
 */
async function payableByLastDay(currency: Currency, status: "active" | "paused"): Promise<Amounts> {
  const found = await rows(
    `select p.name, sum(e.amount_cents) as cents from ledger_entries e
      left join commissions c on c.id = e.commission_id join partners p on p.id = e.partner_id
      where e.program_id = ?1 and e.is_test = 0 and e.currency = ?2 and p.status = ?4
        and (c.approved_at < ?3 or e.kind in ('paid', 'returned') and e.created_at < ?3)
      group by p.id having cents > 0`,
    ...[programId, currency, endOfDay(timezone, lastDay), status],
  );
  return sorted(found.map(({ name, cents }) => [String(name), Number(cents)]));
}

async function openBalances(page: Page, currency: Currency): Promise<void> {
  await page.goto(`/app/programs/${programId}/payouts?currency=${currency}`);
  await settled(page);
  await page.getByRole("table", { name: "Balances" }).waitFor();
}

async function createDraft(page: Page, reference: string, until?: string): Promise<void> {
  await button(page, /^New payout/).click();
  if (until !== undefined) await dialog(page).getByLabel("Approved until").fill(until);
  await dialog(page).getByLabel("Reference").fill(reference);
  await button(page, "Create draft").click();
  await page.getByRole("heading", { name: reference }).waitFor();
  await settled(page);
}

/** Finalizes the draft, downloads its payment list and marks it as paid. */
async function pay(page: Page, reference: string, currency: Currency, isRestored = false): Promise<void> {
  const lines = await linesOf(page);
  await finalize(page, /^Finalize/);
  if (isRestored) {
    await dialog(page).getByText("The last payout in the backup is").waitFor();
    const finalize = dialog(page).getByRole("button", { name: "Finalize" });
    expect(await finalize.isDisabled()).toBe(true);
    await dialog(page).getByRole("checkbox").check();
    await finalize.click();
  }
  await page.getByText("The amounts are final").waitFor();
  const downloading = page.waitForEvent("download");
  await button(page, "Payment list (CSV)").click();
  const [head, ...paid] = parseCsv(await readFile(await (await downloading).path(), "utf8"));
  const columns = [
    ...["reference", "partner_id", "partner_code", "partner", "email", "amount", "currency"],
    ...["method", "account", "holder", "country", "tax_id"],
  ];
  expect(head).toEqual(columns);
  expect(new Set(paid.map((cells) => `${cells[0]} ${cells[6]}`))).toEqual(new Set([`${reference} ${currency}`]));
  expect(sorted(paid.map((cells) => [cells[3] ?? "", moneyIn(cells[5] ?? "")]))).toEqual(lines);
  await button(page, "Mark as paid…").click();
  await dialog(page).getByRole("button", { name: "Mark as paid" }).click();
  await page.getByText("was recorded as paid").waitFor();
  expect(await linesOf(page)).toEqual(lines);
}

async function fail(page: Page, name: string, reason: string): Promise<void> {
  await button(page, `Mark as failed: ${name}`).click();
  await dialog(page).getByLabel("Reason").fill(reason);
  await dialog(page).getByRole("button", { name: "Mark as failed" }).click();
  await page.getByRole("table", { name: "Lines" }).getByText(reason).waitFor();
}

/** Returns the largest paid commission in euros of any other partner, of a sale without refunds. */
async function paidSale(otherThan: string) {
  const [sale] = await rows(
    `select s.transaction_id, c.amount_cents, c.partner_id from payout_ranges r
      join commissions c on c.program_id = r.program_id and c.currency = r.currency and c.partner_id = r.partner_id
        and c.is_test = 0 and c.payable_number > r.from_number and c.payable_number <= r.to_number
      join sales s on s.id = c.sale_id join partners p on p.id = c.partner_id
      where r.program_id = ? and r.currency = 'EUR' and p.name <> ?
        and not exists (select 1 from refunds f where f.sale_id = s.id) order by c.amount_cents desc limit 1`,
    ...[programId, otherThan],
  );
  return {
    transactionId: String(sale?.transaction_id),
    amountCents: Number(sale?.amount_cents),
    partnerId: Number(sale?.partner_id),
  };
}

async function programKey(): Promise<string> {
  const { status, text, body } = await owner.post<{ data: { apiToken: string } }>(
    `/api/programs/${programId}/api-token/rotate`,
    {},
  );
  expect(status, text).toBe(200);
  return body.data.apiToken;
}

interface Period {
  readonly openingCents: number;
  readonly closingCents: number;
}

const statementPath = (partnerId: number) => `/programs/${programId}/partners/${partnerId}/statement`;

async function statementOnPage(page: Page, partnerId: number, query: string): Promise<Period> {
  await page.goto(`/app${statementPath(partnerId)}?${query}`);
  await settled(page);
  await page.getByText("Closing balance").waitFor();
  const lines = await readTable(page, "Entries");
  const balances = lines.map(({ Balance = "" }) => moneyIn(Balance));
  const added = lines.slice(1, -1).reduce((sum, { Amount = "" }) => sum + moneyIn(Amount), balances[0] ?? 0);
  const [openingCents = Number.NaN, closingCents = Number.NaN] = [balances[0], balances.at(-1)];
  expect(added).toBe(closingCents);
  return { openingCents, closingCents };
}

async function statementAsJson(partnerId: number, query: string): Promise<Period> {
  const { status, text, body } = await owner.get<Statement>(`/api${statementPath(partnerId)}?${query}`);
  expect(status, text).toBe(200);
  const { openingCents, entries, closingCents } = body.data;
  expect(openingCents + sumOf(entries)).toBe(closingCents);
  return { openingCents, closingCents };
}

async function statementAsCsv(partnerId: number, query: string): Promise<Period> {
  const { text } = await owner.get(`/api${statementPath(partnerId)}?format=csv&${query}`, { checked: false });
  const [head = [], ...lines] = parseCsv(text);
  const balances = lines.map((cells) => moneyIn(cells[head.indexOf("balance")] ?? ""));
  const added = lines.reduce((sum, cells) => sum + moneyIn(cells[head.indexOf("amount")] ?? ""), balances[0] ?? 0);
  const [openingCents = Number.NaN, closingCents = Number.NaN] = [balances[0], balances.at(-1)];
  expect(added).toBe(closingCents);
  return { openingCents, closingCents };
}

/** Compares two statements of adjacent periods: until the last day of the first payouts, and from the next day on. */
async function expectStatementsAgree(page: Page, { partnerId, name, currency }: Balance): Promise<void> {
  const [sums] = await rows(
    `select sum(amount_cents) as closing, coalesce(sum(amount_cents) filter (where created_at < ?), 0) as until_then
      from ledger_entries where program_id = ? and is_test = 0 and partner_id = ? and currency = ?`,
    ...[endOfDay(timezone, lastDay), programId, partnerId, currency],
  );
  const [untilThen, closing] = [Number(sums?.until_then), Number(sums?.closing)];
  const periods = [
    [`currency=${currency}&to=${lastDay}`, { openingCents: 0, closingCents: untilThen }],
    [`currency=${currency}&from=${nextDay}`, { openingCents: untilThen, closingCents: closing }],
  ] as const;
  for (const [query, expected] of periods) {
    const label = `${name}, ${query}`;
    expect(await statementAsJson(partnerId, query), `${label}, as JSON`).toEqual(expected);
    expect(await statementAsCsv(partnerId, query), `${label}, as CSV`).toEqual(expected);
    expect(await statementOnPage(page, partnerId, query), `${label}, on the page`).toEqual(expected);
  }
}

async function readBalances(): Promise<readonly Balance[]> {
  const { status, text, body } = await owner.get<{ data: readonly Balance[] }>(`/api/programs/${programId}/balances`);
  expect(status, text).toBe(200);
  return body.data;
}

/** Computes balances from entries. Only commissions approved after the last payout are payable. */
const balancesByEntries = () =>
  rows(
    `select e.partner_id, e.currency, sum(e.amount_cents) as balance,
        -coalesce(sum(e.amount_cents) filter (where e.kind in ('paid', 'returned')), 0) as paid,
        coalesce(sum(e.amount_cents) filter (where c.approved_at > (
          select max(until) from payouts where program_id = e.program_id and currency = e.currency)), 0) as payable
      from ledger_entries e left join commissions c on c.id = e.commission_id
      where e.program_id = ? and e.is_test = 0 group by 1, 2`,
    programId,
  );

async function expectBalancesAgree(page: Page): Promise<void> {
  const balances = await readBalances();
  const { text } = await owner.get(`/api/programs/${programId}/balances?format=csv`, { checked: false });
  const [head = [], ...lines] = parseCsv(text);
  const inFile = lines.map((cells) => Object.fromEntries(head.map((field, i) => [field, cells[i]])));
  const decimals = (cents: number) => (cents / 100).toFixed(2);
  expect(inFile).toEqual(
    balances.map((balance) => ({
      ...{ partner_id: String(balance.partnerId), partner_code: balance.partnerCode, partner: balance.name },
      ...{ on_hold: decimals(balance.pendingCents), to_pay: decimals(balance.payableCents) },
      ...{ to_be_deducted: decimals(balance.carriedCents), in_payout: decimals(balance.inPayoutCents) },
      ...{ paid: decimals(balance.paidCents), currency: balance.currency },
    })),
  );

  const summed = (await balancesByEntries()).map(({ partner_id, currency, balance, paid, payable }) =>
    [partner_id, currency, balance, paid, payable].join(),
  );
  const inReply = balances.map(({ partnerId, currency, pendingCents, payableCents, paidCents, ...rest }) => {
    expect(rest).toMatchObject({ inPayoutCents: 0, carriedCents: 0 });
    return [partnerId, currency, pendingCents + payableCents, paidCents, payableCents].join();
  });
  expect(inReply.toSorted()).toEqual(summed.toSorted());

  for (const currency of currencies) {
    await openBalances(page, currency);
    const onPage = (await readTable(page, "Balances")).map((row) => [
      nameIn(row.Partner),
      ...["To pay", "On hold", "In payout", "Paid"].map((head) => moneyIn(row[head] ?? "")),
    ]);
    const expected = balances
      .filter((balance) => balance.currency === currency)
      .map((each) => [each.name, each.payableCents, each.pendingCents, each.inPayoutCents, each.paidCents]);
    expect(onPage.toSorted()).toEqual(expected.toSorted());
  }
}

test("partners of the sample program are paid in two currencies, and statements match balances, files and ledger entries", async () => {
  const page = await open();
  await settled(page);

  await openBalances(page, "EUR");
  await createDraft(page, "First EUR", lastDay);
  const lines = await linesOf(page);
  expect(lines).toEqual(await payableByLastDay("EUR", "active"));
  const leftOut = (await readTable(page, "Left out")).map(({ Partner, Balance = "" }) => [
    nameIn(Partner),
    moneyIn(Balance),
  ]);
  expect(leftOut).toEqual(await payableByLastDay("EUR", "paused"));
  await pay(page, "First EUR", "EUR");

  await openBalances(page, "USD");
  await page.getByLabel("Select all on this page").check();
  await createDraft(page, "First USD", lastDay);
  const inDollars = [await payableByLastDay("USD", "active"), await payableByLastDay("USD", "paused")];
  expect(await linesOf(page)).toEqual(sorted(inDollars.flat()));
  await supersedeWriters(restored);
  await pay(page, "First USD", "USD", true);

  await page.getByRole("main").getByRole("link", { name: "Payouts" }).click();
  await page.getByRole("link", { name: "First EUR" }).click();
  const [failed] = lines;
  if (failed === undefined) throw new Error("the first payout has no line");
  await fail(page, failed[0], "Account closed");

  const { transactionId, amountCents, partnerId } = await paidSale(failed[0]);
  const closing = async () => (await statementOnPage(page, partnerId, "currency=EUR")).closingCents;
  const before = await closing();
  const { refund } = createApi(owner.url);
  const refunded = { transaction_id: transactionId, refund_id: "walk", refund_reason: "Changed their mind" };
  const key = await programKey();
  expect(await refund(refunded, { key })).toMatchObject({ status: 200 });
  expect(await closing()).toBe(before - amountCents);
  await page.getByText("Refund, commission ").first().waitFor();
  expect(await refund({ ...refunded, cancel: true }, { key })).toMatchObject({ status: 200 });
  expect(await closing()).toBe(before);

  // Depending on the day, the sample program has no payable dollars after the first payouts.
  const unpaid = (await readBalances()).filter(({ payableCents }) => payableCents > 0);
  for (const currency of new Set(unpaid.map((each) => each.currency))) {
    await openBalances(page, currency);
    // Paused partners are paid only if they are selected.
    await page.getByLabel("Select all on this page").check();
    await createDraft(page, `Rest ${currency}`);
    await pay(page, `Rest ${currency}`, currency);
  }

  // A hold may end between two reads.
  await vi.waitFor(() => expectBalancesAgree(page), { timeout: 10_000 });
  for (const balance of await readBalances()) await expectStatementsAgree(page, balance);
  expect(await auditLedger(database)).toEqual([]);
});
