import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { detectPresets, importColumns, importKinds, presets } from "../../importer/index.ts";
import { prepare, problemsOf, sample } from "./files.ts";

const cases = presets.flatMap((preset) =>
  importKinds.filter((kind) => preset.files[kind] !== undefined).map((kind) => ({ preset, kind, id: preset.id })),
);

test("each kind of file that a preset reads has a sample file, and each sample file has a preset", () => {
  const samples = readdirSync(join(import.meta.dirname, "samples"));
  expect(samples.toSorted()).toEqual(cases.map(({ id, kind }) => `${id}-${kind}.csv`).toSorted());
});

test.each(cases)(
  "the preset $id for $kind is the only one that matches the headers of the preset's sample",
  ({ preset, kind }) => {
    expect(detectPresets(sample(`${preset.id}-${kind}.csv`).headers)).toEqual([{ preset, kind }]);
  },
);

test.each(cases)(
  "the preset $id for $kind maps headers only to columns that exist for this kind of import",
  ({ preset, kind }) => {
    const names = importColumns[kind].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(preset.files[kind]?.columns ?? {})));
    expect(preset.source.length).toBeLessThanOrEqual(40);
    expect(preset.linkParams.every((name) => /^[a-z0-9_-]{1,20}$/.test(name) && name !== "aff")).toBe(true);
    expect(preset.linkParams.length).toBeLessThanOrEqual(5);
  },
);

describe("the rows of the presets' samples", () => {
  const rowsOf = (id: string, kind: (typeof importKinds)[number]) => {
    const preset = presets.find((each) => each.id === id);
    if (preset === undefined) throw new Error(`no preset ${id}`);
    const { linkParams, files } = preset;
    const prepared = prepare(kind, sample(`${id}-${kind}.csv`), { file: files[kind], linkParams });
    expect(prepared.problems).toEqual([]);
    return prepared;
  };

  const ids: Readonly<Record<string, readonly [string, string]>> = {
    rewardful: ["0b1c0f3e-6a51-4c1d-9a54-1f2d5b7c0001", "0b1c0f3e-6a51-4c1d-9a54-1f2d5b7c0002"],
    tolt: ["part_Example0001", "part_Example0002"],
    dub: ["pn_Example0001", "pn_Example0002"],
  };

  test.each(["rewardful", "tolt", "dub"])(
    "sample rows of %s are read as partners who have their id as a second code",
    (id) => {
      const [first, second] = ids[id] ?? [];
      expect(rowsOf(id, "partners").rows).toEqual([
        {
          line: 2,
          name: "Example One",
          code: `one;${first}`,
          email: "one@partners.example",
          external_id: first,
          status: "active",
        },
        {
          line: 3,
          name: "Example Two",
          code: `two;${second}`,
          email: "two@partners.example",
          external_id: second,
          status: "paused",
        },
      ]);
    },
  );

  test("sample rows are read as partners of FirstPromoter and PartnerStack", () => {
    expect(rowsOf("firstpromoter", "partners").rows).toEqual([
      {
        line: 2,
        name: "Example One",
        code: "one",
        email: "one@partners.example",
        external_id: "user-1",
        status: "active",
      },
      { line: 3, name: "Example Two", code: "two", email: "two@partners.example", status: "paused" },
    ]);
    expect(rowsOf("partnerstack", "partners").rows.map(({ code, status }) => [code, status])).toEqual([
      ["one;part_Example0001", "active"],
      ["two;part_Example0002", "paused"],
    ]);
  });

  const bought = { first_sale_at: "2026-03-01T12:30:00.000Z" };
  test.each([
    ["rewardful", "cus_Example1", "cus_Example2", "one", "two", bought, [4]],
    ["firstpromoter", "user-901", "user-902", "one", "two", { first_sale_at: "2026-03-01T12:30:00Z" }, []],
    [
      "tolt",
      "user-901",
      "user-902",
      "part_Example0001",
      "part_Example0002",
      { ...bought, subscription_id: "sub_901" },
      [],
    ],
    ["partnerstack", "user-901", "user-902", "one", "two", {}, [4]],
    ["dub", "user-901", "user-902", "one", "two", bought, []],
  ] as const)("sample rows of %s are read as customers", (id, key1, key2, code1, code2, first, leftOut) => {
    const prepared = rowsOf(id, "customers");
    expect(prepared.rows).toEqual([
      { line: 2, customer_key: key1, partner_code: code1, ...first },
      { line: 3, customer_key: key2, partner_code: code2 },
    ]);
    expect(prepared.leftOut).toEqual(leftOut);
  });

  test.each([
    ["rewardful", ["5.00 EUR", "9.80 USD"], [3, 5]],
    ["firstpromoter", ["7.30 USD"], [3, 4]],
    ["tolt", ["9.80 USD"], [3, 4]],
    ["partnerstack", ["9.80 USD"], [3, 4]],
    ["dub", ["9.80 USD"], [3, 4]],
  ] as const)("sample rows of %s are read as balances with the amounts due", (id, totals, leftOut) => {
    const prepared = rowsOf(id, "balances");
    expect(prepared.totals.map(({ amount, currency }) => `${amount} ${currency}`)).toEqual(totals);
    expect(prepared.leftOut).toEqual(leftOut);
    for (const { partner_code, reference } of prepared.rows) {
      expect([partner_code, reference].every((value) => String(value).length > 0)).toBe(true);
    }
  });
});

test("an amount with decimals isn't read as cents, and a file of commissions without a status is refused", () => {
  const rewardful = presets.find(({ id }) => id === "rewardful")?.files.balances;
  const { problems } = prepare("balances", "id,affiliate_id,amount,currency,state\n1,a,9.80,EUR,due\n", {
    file: rewardful,
  });
  expect(problems).toMatchObject([{ line: 2, column: "amount", read: "9.80", code: "invalid_value" }]);
  expect(() => prepare("balances", "id,affiliate_id,amount,currency\n1,a,980,EUR\n", { file: rewardful })).toThrow(
    'The file has no column "state".',
  );
});

describe("a cell by which a preset filters rows", { tags: ["finding"] }, () => {
  const files = {
    "firstpromoter balances": ["is_paid", "id,amount,ref_token,currency,status,is_paid\n1,980,a,EUR,approved,"],
    "firstpromoter status": ["status", "id,amount,ref_token,currency,is_paid,status\n1,980,a,EUR,no,"],
    "partnerstack customers": ["test", "customer_key,partner_key,provider_key,test\nu1,a,,"],
    "partnerstack balances": ["reward_status", "reward_key,partner_key,amount,currency,reward_status\nr1,a,980,USD,"],
    "rewardful balances": ["state", "id,affiliate_id,amount,currency,state\n1,a,980,EUR,"],
    "rewardful customers": ["conversion_state", "stripe_customer_id,link_token,conversion_state\ncus_1,a,"],
    "tolt balances": ["status", "id,partner_id,amount,currency,status\n1,a,980,EUR,"],
    "dub balances": ["Status", "ID,Earnings,Partner ID,Currency,Status\n1,9.80,a,EUR,"],
  } as const;
  type File = keyof typeof files;

  const prepared = (file: File, cell: string) => {
    const [id = "", kind] = file.split(" ");
    const preset = presets.find((each) => each.id === id)?.files[kind === "customers" ? "customers" : "balances"];
    return prepare(kind === "customers" ? "customers" : "balances", `${files[file][1]}${cell}\n`, { file: preset });
  };

  test.each<[File, string]>([
    ["firstpromoter balances", "FALSCH"],
    ["firstpromoter balances", "FAUX"],
    ["firstpromoter balances", "n"],
    ["partnerstack customers", "Nein"],
    ["partnerstack customers", "f"],
    ["firstpromoter status", "genehmigt"],
    ["firstpromoter status", ""],
    ["partnerstack balances", "ready"],
    ["rewardful balances", "fällig"],
    ["rewardful balances", ""],
    ["rewardful customers", "Kunde"],
    ["tolt balances", "Genehmigt"],
    ["dub balances", ""],
  ])("a cell by which a preset filters rows is reported if its value is unknown: %s, %j", (file, cell) => {
    const { rows, leftOut, problems } = prepared(file, cell);
    expect({ rows, leftOut }).toEqual({ rows: [], leftOut: [] });
    expect(problems).toMatchObject([{ line: 2, code: "invalid_value", column: files[file][0], read: cell }]);
  });

  test.each<[File, string]>([
    ["firstpromoter balances", "TRUE"],
    ["firstpromoter status", "Denied"],
    ["partnerstack customers", "yes"],
    ["partnerstack balances", "declined"],
    ["rewardful balances", "Voided"],
    ["rewardful customers", "visitor"],
    ["tolt balances", "refunded"],
    ["dub balances", "Canceled"],
  ])("a cell by which a preset filters rows excludes its row: %s, %j", (file, cell) => {
    expect(prepared(file, cell)).toMatchObject({ rows: [], leftOut: [2], problems: [] });
  });

  test.each<[File, string]>([
    ["firstpromoter balances", ""],
    ["partnerstack customers", ""],
    ["rewardful customers", "Lead"],
  ])("a cell by which a preset filters rows includes its row: %s, %j", (file, cell) => {
    expect(prepared(file, cell)).toMatchObject({ rows: [{ line: 2 }], leftOut: [], problems: [] });
  });

  test("a status by which a preset filters rows is reported with the possible values if it is unknown", () => {
    expect(problemsOf(prepared("rewardful balances", "open"))).toEqual([
      'line 2, state: "open", expected one of due, pending, paid, voided',
    ]);
  });
});
