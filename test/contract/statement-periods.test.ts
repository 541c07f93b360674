import { describe, expect, test } from "vitest";
import type { WorldSettings } from "../../harness/world.ts";
import { parseCsv } from "../support/parse-csv.ts";
import { day, daysAgo, hour, minute } from "../support/program-fixture.ts";
import type { SalesFixture } from "../support/sales-fixture.ts";
import { openShop, type Posting, post, readStatement, statementPath } from "../support/statements-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const open = (settings?: WorldSettings) => openShop(people, settings);
const read = (shop: SalesFixture, query = "") => readStatement(people.viewer, shop, query);
const newYork = { program: { timezone: "America/New_York" } };
/** Midnights in New York, where summer time begins on March 8, 2026, and ends on November 1. */
const march8 = Date.parse("2026-03-08T05:00:00Z");
const march9 = Date.parse("2026-03-09T04:00:00Z");

describe("a statement's period", () => {
  const posted: readonly Posting[] = [
    { at: march8 - 1, amountCents: 1 },
    { at: march8, amountCents: 20 },
    { at: march9 - 1, amountCents: 300, day: "2026-02-01" },
    { at: march9, amountCents: 4_000 },
  ];
  const of = async (query: string) => {
    const shop = await open(newYork);
    await post(shop, posted);
    const { openingCents, entries, closingCents, from, to, ...rest } = (await read(shop, query)).data;
    return {
      amounts: [openingCents, ...entries.map(({ amountCents }) => amountCents), closingCents],
      entries,
      from,
      to,
      rest,
    };
  };

  test("a statement's period contains entries by the day they were posted in the program's time zone, not by the day of the event", async () => {
    const { amounts, entries, rest } = await of("?from=2026-03-08&to=2026-03-08");
    expect(amounts).toEqual([1, 20, 300, 321]);
    expect(entries.map(({ day: on, postedOn }) => [on, postedOn])).toEqual([
      ["2026-03-08", "2026-03-08"],
      ["2026-02-01", "2026-03-08"],
    ]);
    expect(Object.keys(rest).filter((name) => /^(pending|payable|inPayout)/.test(name))).toEqual([]);
  });

  test("a past statement doesn't change when the program's time zone changes", async () => {
    const shop = await openShop(people, newYork);
    await post(shop, posted);
    const all = async () => {
      const { data } = await readStatement(people.viewer, shop, "?to=2026-03-20");
      return { data, ofDay: (await readStatement(people.viewer, shop, "?from=2026-03-08&to=2026-03-08")).data };
    };
    const before = await all();
    const path = `/api/programs/${shop.world.programId}`;
    for (const timezone of ["Pacific/Kiritimati", "Pacific/Honolulu"]) {
      expect((await people.admin.patch(path, { timezone })).status).toBe(200);
      expect(await all()).toEqual(before);
    }
  });

  test("a statement's period begins with the first entry by default", async () => {
    const { amounts, from, to } = await of("?to=2026-03-08");
    expect([amounts, from, to]).toEqual([[0, 1, 20, 300, 321], "2026-03-07", "2026-03-08"]);
  });

  test("a statement's period can be without entries", async () => {
    expect((await of("?from=2026-03-10&to=2026-03-20")).amounts).toEqual([4_321, 4_321]);
    expect(await of("?to=2026-03-01")).toMatchObject({ amounts: [0, 0], from: "2026-03-01", to: "2026-03-01" });
  });

  test.each(["", "&to=9999-12-31"])(
    "a statement's period ends today by default, and also if a later day is sent: %s",
    async (to) => {
      const statement = await of(`?from=2026-03-09${to}`);
      const local = new Intl.DateTimeFormat("sv", { timeZone: "America/New_York" }).format(new Date());
      expect(statement).toMatchObject({ amounts: [321, 4_000, 4_321], from: "2026-03-09", to: local });
      expect(statement.rest).toMatchObject({ pendingCents: 0, payableCents: 4_321, inPayoutCents: 0 });
    },
  );

  test.each([
    ["?from=9999-12-01&to=9999-12-31", "9999-12-31"],
    ["?from=9999-12-01", "9999-12-01"],
  ])(
    "a statement is empty if its period begins after today, and opens and closes at today's balance: %s",
    async (query, to) => {
      const shop = await open();
      await post(shop, posted);
      await shop.sell();
      const now = await read(shop, "?from=2026-03-10");
      expect(now.data.entries).toHaveLength(1);
      expect((await read(shop, query)).data).toEqual({
        ...now.data,
        ...{ from: "9999-12-01", to, openingCents: now.data.closingCents, entries: [], earnedCents: 0 },
      });
      const { text } = await people.viewer.get(`${statementPath(shop)}${query}&format=csv`, { checked: false });
      const [, ...lines] = parseCsv(text);
      expect(lines.map(([postedOn, , , kind]) => [postedOn, kind])).toEqual([
        ["9999-12-01", "opening"],
        [to, "closing"],
      ]);
    },
  );
});

/** Entries of three years, with days and months that have many entries or none. */
const many = (count: number): Posting[] =>
  Array.from({ length: count }, (_, i) => ({
    at: march8 - 1_000 * day + Math.floor((i / count) ** 2 * 1_000 * day) + (i % 7) * minute,
    amountCents: (i % 3 === 0 ? -1 : 1) * ((i * 7_919) % 10_007) - 3,
  })).toSorted((a, b) => a.at - b.at);

describe("a long statement", () => {
  test("a long statement contains each entry once, and each statement opens at the closing balance of the one before", async () => {
    const shop = await open();
    const postings = many(4_103);
    await post(shop, postings);
    const all = await read(shop);
    expect(all.data.entries.map(({ amountCents }) => amountCents)).toEqual(
      postings.map(({ amountCents }) => amountCents),
    );

    let opening = 0;
    for (let from = march8 - 1_000 * day; from < march8; from += 97 * day) {
      const [first, last] = [from, from + 96 * day].map((at) => new Date(at).toISOString().slice(0, 10));
      const { data } = await read(shop, `?from=${first}&to=${last}`);
      expect(data.openingCents).toBe(opening);
      opening = data.closingCents;
    }
    expect(opening).toBe(all.data.closingCents);
  });

  test("a long statement can be downloaded as one CSV file, with the balance after each entry", async () => {
    const shop = await open();
    const postings = many(4_103);
    await post(shop, postings);
    const { data } = await read(shop, "?from=2024-01-01");
    const today = data.to;
    const csv = await people.viewer.get(`${statementPath(shop)}?format=csv&from=2024-01-01`, { checked: false });
    expect([csv.status, csv.headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(csv.headers.get("Content-Disposition")).toBe(
      `attachment; filename="tributary-test-program-statement-${shop.alice.code.toLowerCase()}-2024-01-01-to-${today}-eur.csv"`,
    );
    const [head = [], ...lines] = parseCsv(csv.text);
    const decimals = (cents: number) => (cents / 100).toFixed(2);
    const rows = lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
    expect(rows).toHaveLength(data.entries.length + 2);
    expect(rows[0]).toMatchObject({
      kind: "opening",
      posted_on: "2024-01-01",
      amount: "",
      balance: decimals(data.openingCents),
      partner_code: shop.alice.code,
    });
    expect(rows.at(-1)).toMatchObject({ kind: "closing", posted_on: data.to, balance: decimals(data.closingCents) });
    let balance = data.openingCents;
    for (const [i, entry] of data.entries.entries()) {
      balance += entry.amountCents;
      expect(rows[i + 1]).toMatchObject({ amount: decimals(entry.amountCents), balance: decimals(balance) });
    }
    expect(balance).toBe(data.closingCents);
  });

  test.each(["=1+1", "-1", '@sum(a1)"', "x;=1+1"])(
    "the CSV file of a statement escapes a formula that a spreadsheet would evaluate: %s",
    async (text) => {
      const shop = await open();
      await people.admin.post(`/api/programs/${shop.world.programId}/partners/${shop.alice.id}/adjustments`, {
        ...{ amountCents: 300, currency: "EUR", reason: "r", partnerNote: text, reference: "a" },
      });
      const { text: csv } = await people.viewer.get(`${statementPath(shop)}?format=csv`, { checked: false });
      const disarmed = text.replace(/(^|;)(?!x)/, "$1'");
      const [head = [], , ...lines] = parseCsv(csv);
      const [noteAt, amountAt] = [head.indexOf("note"), head.indexOf("amount")];
      expect(lines.map((line) => [line[noteAt], line[amountAt]])).toEqual([
        [disarmed, "3.00"],
        ["", ""],
      ]);
    },
  );
});

test("a new entry doesn't change the statement of a past period", async () => {
  const shop = await open();
  await post(shop, [{ at: daysAgo(3), amountCents: 10 }]);
  const over = `?to=${new Date(daysAgo(2, hour)).toISOString().slice(0, 10)}`;
  const before = await read(shop, over);
  await shop.sell({ occurred_at: new Date(daysAgo(3)).toISOString() });
  expect(await read(shop, over)).toEqual(before);
});
