import { existsSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { csvLine } from "../../importer/index.ts";
import { root } from "../../scripts/root.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";
import { command, type Ended } from "./command.ts";
import { openShop } from "./command-at-shop.ts";

const cli = command();

let files = 0;
async function fileOf(...lines: string[]): Promise<string> {
  files += 1;
  const file = `import-${files}.csv`;
  await writeFile(join(cli.directory, file), lines.map((line) => `${line}\n`).join(""));
  return file;
}
const saved = (file: string) => readFile(join(cli.directory, file), "utf8");

/** Returns the printed lines: the result of the check, and the result of the import if it took place. */
const data = ({ out }: Ended) =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const codesOf = async ({ shop }: Awaited<ReturnType<typeof openShop>>) => {
  const { world } = shop;
  const links = await world.rows("select code from referral_links where program_id = ? order by id", world.programId);
  const before = world.partners.map(({ code }) => code);
  return links.map(({ code }) => String(code)).filter((code) => !before.includes(code));
};

test("import checks and imports partners, changes nothing when repeated, and saves refused rows to a file", async () => {
  const opened = await openShop(cli);
  const { shop, run } = opened;
  const file = await fileOf(
    "Name;Code;Note;Email",
    "Anna;anna, anna-blog;;anna@partners.example",
    "'=Ben;ben;;",
    `Cleo;cleo ${shop.alice.code};;`,
    "Dora;;;",
    "Ella;BEN;;",
  );
  const dry = await run("import", "partners", file, "--dry-run", "--source", "Former program");
  expect(dry.out).toContain(`${file}: 5 rows of partners, from Former program\nNot imported: Note.\n`);
  expect(dry.out).toContain('  line 5, code: nothing, expected a value\n  line 6, code: "BEN" is already on line 3\n');
  expect(dry.out).toMatch(/This is what an import would do\n {2}created +2\n {2}updated +0\n {2}unchanged +0\n/);
  expect(dry.out).toContain(`  refused: code_taken, 1 row: line 4 (code: "cleo;${shop.alice.code}")\n`);
  expect(dry.out).not.toContain("Imported");
  expect(dry.code).toBe(1);
  expect(await codesOf(opened)).toEqual([]);

  const args = ["import", "partners", file, "--yes", "--refused", `refused-${file}`];
  const imported = await run(...args);
  expect(imported.out).toMatch(/\nImported\n {2}created +2\n/);
  expect(imported.err).toBe(`Rows that weren't imported: refused-${file}\n`);
  expect(imported.code).toBe(1);
  expect(await codesOf(opened)).toEqual(["anna", "anna-blog", "ben"]);
  const lines = [
    ["Name", "Code", "Note", "Email", "refused_line", "refused_reason", "refused_field"],
    ["Cleo", `cleo ${shop.alice.code}`, "", "", "4", "code_taken", "code"],
    ["Dora", "", "", "", "5", "missing_value", "code"],
    ["Ella", "BEN", "", "", "6", "duplicate", "code"],
  ];
  expect(await saved(`refused-${file}`)).toBe(`\uFEFF${lines.map((cells) => csvLine(cells, ";")).join("")}`);
  const again = await run(...args);
  expect(again.out).toContain("There is nothing to import.");
  expect(again.out).toMatch(/unchanged +2\n/);
});

test("import creates no file of refused rows if no row is refused", { tags: "finding" }, async () => {
  const { run } = await openShop(cli);
  const file = await fileOf("Name;Code", "Anna;anna");
  const imported = await run("import", "partners", file, "--yes", "--refused", `refused-${file}`);
  expect(imported).toMatchObject({ code: 0, err: "" });
  expect(existsSync(join(cli.directory, `refused-${file}`))).toBe(false);
});

test("import detects the preset by the file's headers, and changes existing partners only with --update", {
  tags: "soak",
}, async () => {
  const opened = await openShop(cli);
  const { run } = opened;
  await copyFile(join(root, "test/importer/samples/rewardful-partners.csv"), join(cli.directory, "affiliates.csv"));
  const first = await run("import", "partners", "affiliates.csv", "--yes");
  expect(first.out).toContain("2 rows of partners, from Rewardful\nColumns: the preset rewardful (Affiliates).\n");
  expect(first.code).toBe(0);
  expect(await codesOf(opened)).toEqual(expect.arrayContaining(["one", "two"]));
  const changed = (await saved("affiliates.csv")).replace("Example,One", "Example,Renamed");
  await writeFile(join(cli.directory, "affiliates.csv"), changed);
  const differs = await run("import", "partners", "affiliates.csv", "--yes", "--preset", "rewardful");
  expect(differs.out).toContain("refused: differs, 1 row: line 2");
  const updated = await run("import", "partners", "affiliates.csv", "--yes", "--update", "--json");
  expect(data(updated)).toMatchObject([
    { dry_run: true, updated: 1, unchanged: 1 },
    { dry_run: false, ended: "done", rows: 2, updated: 1, unchanged: 1, refused: 0 },
  ]);
  expect(updated.code).toBe(0);
});

const ownersPage = "on the dashboard's page Partners, Add several, Import a file.";

test("import reports that only an owner can import customers whose earlier sales earn commissions", {
  tags: "soak",
}, async () => {
  const { shop, run } = await openShop(cli);
  await shop.sale({ customer_key: "u1", transaction_id: "t1", occurred_at: at(daysAgo(10)) });
  const day = at(daysAgo(20)).slice(0, 10);
  const file = await fileOf("User ID,partner_code,since", `u1,${shop.alice.code},${day}`, "u2,nobody-here,");
  const args = ["import", "customers", file, "--map", "customer_key=user id"];
  const refused = await run(...args, "--yes");
  expect(refused.out).toContain("refused: past_needs_consent, 1 row: line 2");
  expect(refused.out).toContain("refused: unknown_partner, 1 row: line 3");
  expect(refused.out).not.toContain(ownersPage);
  const paying = await run(...args, "--pay-past", "--yes");
  expect(paying.out).toContain("refused: owner_only");
  expect(paying.out).toContain(ownersPage);
  expect(paying.code).toBe(1);
  expect((await shop.all("sales"))[0]).toMatchObject({ partner_id: null });
});

test("import reports that only an owner can import balances", async () => {
  const { shop, run } = await openShop(cli);
  const { alice, bob } = shop;
  const file = await fileOf(
    "partner_code;currency;amount;reference",
    `${alice.code};EUR;1.234,50;r1`,
    `${bob.code};EUR;-4,50;r2`,
    `${bob.code};USD;1.234;r3`,
  );
  const ambiguous = await run("import", "balances", file, "--dry-run");
  expect(ambiguous.out).toContain('line 4, amount: "1.234", expected an amount that is clear');
  expect(ambiguous.out).toContain("Pass --decimal-sign point or comma.");
  const told = await run("import", "balances", file, "--decimal-sign", "comma", "--yes");
  expect(told.out).toContain('refused: owner_only, 3 rows: lines 2 (amount: "1234.50"), 3 (amount: "-4.50"), 4');
  expect(told.out).toContain(ownersPage);
  expect(told.code).toBe(1);
  expect(await shop.all("ledger_entries")).toEqual([]);
});

test("import sends a file that needs several calls in order, and counts all rows", { tags: "soak" }, async () => {
  const opened = await openShop(cli);
  const names = Array.from({ length: 230 }, (_, i) => `p${i + 1}`);
  const file = await fileOf("name,code", ...names.map((name) => `${name},${name}x`));
  const imported = await opened.run("import", "partners", file, "--yes", "--json");
  expect(data(imported).at(-1)).toMatchObject({ dry_run: false, rows: 230, created: 230, refused: 0 });
  expect(await codesOf(opened)).toEqual(names.map((name) => `${name}x`));
});

test("the check of an import refuses an id that occurs twice, even in rows of different calls, as does the import itself", {
  tags: ["finding", "soak"],
}, async () => {
  const { run } = await openShop(cli);
  const others = Array.from({ length: 120 }, (_, i) => `P${i},p${i}x,u${i}`);
  const file = await fileOf("name,code,external_id", "Ann,a1,same", ...others, "Bob,b1,same");
  const args = ["import", "partners", file, "--yes", "--update", "--json", "--refused", "twins.csv"];
  const first = data(await run(...args));
  const created = { rows: 121, created: 121, updated: 0, refused: 0, problem_rows: 1 };
  expect(first).toMatchObject([
    { dry_run: true, ...created },
    { dry_run: false, ...created },
  ]);
  expect(await saved("twins.csv")).toContain('"Bob","b1","same","123","duplicate","external_id"');
  expect(data(await run(...args))).toMatchObject([{ dry_run: true, created: 0, updated: 0, unchanged: 121 }]);
});

test("import reports that the key lacks the scope, with a remedy", { tags: "soak" }, async () => {
  const { shop } = await openShop(cli, { keys: [{}, { scopes: ["track"] }] });
  const environment = { TRIBUTARY_API_KEY: shop.world.keys[1] ?? "", TRIBUTARY_URL: sharedService.url };
  const { code, err } = await cli.run(["import", "partners", await fileOf("name,code", "A,aa"), "--yes"], environment);
  expect(err).toContain("An owner can give the key this scope in the program's settings");
  expect(code).toBe(1);
});

test("an export of partners can be imported into another program, and only an owner can export customers with `since`", {
  tags: "soak",
}, async () => {
  const [from, to] = [await openShop(cli), await openShop(cli)];
  const file = await fileOf("name,code,email", 'Anna,"anna;anna-blog",anna@partners.example', `"'=Ben, Jr.",ben,`);
  await from.run("import", "partners", file, "--yes");
  const customers = await fileOf("customer_key,partner_code,first_sale_at", "u1,anna,01.03.2025", "+u2,ben,");
  await from.run("import", "customers", customers, "--yes");
  const exported = async (kind: string) => {
    const out = `${kind}-export.csv`;
    expect(await from.run("export", kind, "--out", out)).toMatchObject({ code: 0, out: `Exported to ${out}.\n` });
    return out;
  };
  const partners = await exported("partners");
  const imported = await to.run("import", "partners", partners, "--yes", "--json");
  expect(data(imported).at(-1)).toMatchObject({ created: 4, refused: 0, problem_rows: 0 });
  const linesOf = (text: string) => text.replace("\uFEFF", "").split("\r\n").filter(Boolean);
  expect(linesOf((await to.run("export", "partners")).out)).toEqual(
    expect.arrayContaining(linesOf(await saved(partners))),
  );
  const refused = await to.run("import", "customers", await exported("customers"), "--yes", "--json");
  expect(data(refused).at(-1)).toMatchObject({
    created: 0,
    problem_rows: 0,
    refusals: [expect.objectContaining({ code: "owner_only", count: 2 })],
  });
});
