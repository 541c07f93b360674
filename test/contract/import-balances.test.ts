import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { expectConsistentInTheEnd } from "../support/expect-ledger-consistent.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Row {
  readonly result: string;
  readonly code?: string;
  readonly field?: string;
  readonly id?: number;
}

async function newWorld(): Promise<World> {
  const world = await people.world({ partners: [{ code: "anna" }, { code: "bob" }] });
  expectConsistentInTheEnd(world);
  return world;
}

const run = async (world: World, rows: readonly JsonObject[], options: JsonObject = {}) => {
  const { status, text, body } = await people.owner.post<{ data: { rows: readonly Row[] } }>(
    `/api/programs/${world.programId}/imports/rows`,
    {
      kind: "balances",
      source: "Rewardful",
      rows: rows.map((row, i) => ({ line: i + 1, ...row })) as Json,
      ...options,
    },
  );
  expect(status, text).toBe(200);
  return body.data.rows;
};
const told = (rows: readonly Row[]) =>
  rows.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(" "));
const balances = async (world: World) =>
  (await people.viewer.get<{ data: JsonObject[] }>(`/api/programs/${world.programId}/balances`)).body.data
    .map(({ partnerCode, currency, payableCents, carriedCents }) => [partnerCode, currency, payableCents, carriedCents])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));

const due = { partner_code: "anna", currency: "EUR", amount: "120.50", reference: "r-11" };

test("an opening balance is payable immediately, and a partner can have one in each currency", async () => {
  const world = await newWorld();
  const rows = [due, { ...due, currency: "usd", amount: "30.00" }, { ...due, partner_code: "BOB", amount: -4.9 }];
  expect(told(await run(world, rows))).toEqual(["created", "created", "created"]);
  expect(await balances(world)).toEqual([
    ["anna", "EUR", 12_050, 0],
    ["anna", "USD", 3_000, 0],
    ["bob", "EUR", 0, -490],
  ]);
  const statement = await people.owner.get<JsonObject>(
    `/api/programs/${world.programId}/partners/${world.partner.id}/statement?currency=EUR`,
  );
  expect(statement.text).toContain("Opening balance from Rewardful");
  const created = await people.owner.post<{ data: { lines: JsonObject[] } }>(
    `/api/programs/${world.programId}/payouts`,
    { currency: "EUR", reference: "first" },
  );
  expect(created.body.data.lines).toMatchObject([
    { partnerCode: "anna", amountCents: 12_050, adjustmentsCents: 12_050 },
  ]);
});

test("an opening balance is refused if an import from another source has used its reference", {
  tags: "finding",
}, async () => {
  const world = await newWorld();
  await run(world, [due]);
  expect(told(await run(world, [due], { source: "Tolt" }))).toEqual(["refused differs reference"]);
  expect(told(await run(world, [due]))).toEqual(["unchanged"]);
});

test("an opening balance is booked once, even if it is imported again, in parallel, or with another code of the partner", async () => {
  const world = await newWorld();
  const partners = `/api/programs/${world.programId}/partners`;
  const { body } = await people.admin.post<{ data: { id: number } }>(partners, { name: "Cy", code: "cy" });
  await people.admin.post(`${partners}/${body.data.id}/links`, { code: "cy-2" });
  const own = { ...due, partner_code: "cy" };
  const rows = [own, { ...own, partner_code: "cy-2" }, { ...own, reference: "r-12", amount: "1" }];
  const all = await Promise.all([rows, rows, rows.toReversed(), rows].map((part) => run(world, part)));
  expect(all.flat().filter(({ result }) => result === "created")).toHaveLength(2);
  expect(all.flat().filter(({ result }) => result === "unchanged")).toHaveLength(10);
  expect(new Set(all.flat().map(({ id }) => id)).size).toBe(2);
  expect(await balances(world)).toEqual([["cy", "EUR", 12_150, 0]]);
});

test("an opening balance with another amount and the same reference is refused", async () => {
  const world = await newWorld();
  await run(world, [due]);
  expect(
    told(
      await run(world, [
        { ...due, amount: "120.51" },
        { ...due, partner_code: "bob" },
      ]),
    ),
  ).toEqual(["refused differs amount", "created"]);
});

test("an opening balance is refused if an adjustment in another currency already has the reference that the import would store", async () => {
  const world = await newWorld();
  const adjustment = { amountCents: 12_050, currency: "USD", reason: "Bonus", reference: "import:r-11:EUR" };
  await people.admin.post(`/api/programs/${world.programId}/partners/${world.partner.id}/adjustments`, adjustment);
  expect(told(await run(world, [due]))).toEqual(["refused differs amount"]);
});

test("a dry run of an import of opening balances books nothing, and has the same response as the import", async () => {
  const world = await newWorld();
  const rows = [due, due, { ...due, amount: "1" }, { ...due, partner_code: "who" }];
  const checked = await run(world, rows, { dryRun: true });
  expect(await balances(world)).toEqual([]);
  expect(told(checked)).toEqual([
    "created",
    "unchanged",
    "refused differs amount",
    "refused unknown_partner partner_code",
  ]);
  expect(told(await run(world, rows))).toEqual(told(checked));
});

test.each<[JsonObject, string]>([
  [{ amount: "0.00" }, "refused zero_amount amount"],
  [{ amount: "-0" }, "refused zero_amount amount"],
  [{ amount: "1,50" }, "refused invalid_value amount"],
  [{ amount: "1.505" }, "refused invalid_value amount"],
  [{ amount: "1e3" }, "refused invalid_value amount"],
  [{ amount: "999999999999999" }, "refused invalid_value amount"],
  [{ amount: "10.5", currency: "JPY" }, "refused invalid_value amount"],
  [{ amount: "1000", currency: "JPY" }, "created"],
  [{ amount: "1.234", currency: "KWD" }, "created"],
  [{ amount: "+3.1" }, "created"],
  [{ amount: undefined }, "refused invalid_value amount"],
  [{ currency: "EURO" }, "refused invalid_value currency"],
  [{ reference: "" }, "refused invalid_value reference"],
  [{ reference: "x".repeat(245) }, "refused invalid_value reference"],
  [{ partner_code: "who" }, "refused unknown_partner partner_code"],
])("importing an opening balance with %j has the result: %s", async (cells, result) => {
  expect(told(await run(await newWorld(), [{ ...due, ...cells }]))).toEqual([result]);
});

test("an opening balance for the partner that verification runs use is refused", async () => {
  const world = await newWorld();
  await people.admin.post(`/api/tracking/run-verification/${world.programId}`, {});
  const rows = await run(world, [{ ...due, partner_code: `~verification-${world.programId}` }]);
  expect(told(rows)).toEqual(["refused unknown_partner partner_code"]);
});
