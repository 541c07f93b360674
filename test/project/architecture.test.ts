import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { faulty } from "./faulty-sources.ts";

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tributary-lint-"));
  await writeFile(join(directory, ".gitignore"), "node_modules\n");
  await writeFile(join(directory, "biome.json"), await readFile(join(root, "biome.json")));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

interface Finding {
  readonly file: string;
  readonly rule: string;
}

/** Lints only these files, by the project's rules. */
async function lint(files: Record<string, string>): Promise<Finding[]> {
  for (const folder of ["src", "scripts", "bench", "harness", "importer", "tracker", "sdk", "dashboard", "test"]) {
    await rm(join(directory, folder), { recursive: true, force: true });
  }
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  const biome = join(root, "node_modules/.bin/biome");
  const { stdout } = await promisify(execFile)(biome, ["lint", "--reporter=json", "--max-diagnostics=none"], {
    cwd: directory,
    maxBuffer: 2 ** 26,
  }).catch((error: { stdout: string }) => error);
  const report = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  return report.diagnostics.map(({ category, location: { path } }) => ({
    file: typeof path === "string" ? path : path.file,
    rule: category.split("/").at(-1) ?? category,
  }));
}

const importing = (path: string) => `import { it } from "${path}";\nexport const mine = it;\n`;
/** Returns a file that imports the path. A Worker also needs a default export. */
const textOf = (name: string, path: string) =>
  name === "src/worker.ts" ? `${importing(path)}export default mine;\n` : importing(path);

const forbidden = [
  ["src/domain/a.ts", "#store/schema/sales.ts"],
  ["src/domain/a.ts", "#env.ts"],
  ["src/domain/explain/a.ts", "#env.ts"],
  ["src/domain/a.ts", "../store/schema/sales.ts"],
  ["src/domain/explain/a.ts", "../../env.ts"],
  ["src/routes/track/a.ts", "../../http/log.ts"],
  ["src/domain/a.ts", "hono"],
  ["src/domain/a.ts", "drizzle-orm"],
  ["src/domain/a.ts", "node:fs"],
  ["src/domain/a.ts", "cloudflare:workers"],
  ["src/store/a.ts", "#operations/operation.ts"],
  ["src/store/a.ts", "#env.ts"],
  ["src/store/a.ts", "hono/factory"],
  ["src/operations/a.ts", "#ledger/rpc.ts"],
  ["src/operations/a.ts", "#http/log.ts"],
  ["src/operations/a.ts", "drizzle-orm"],
  ["src/operations/a.ts", "@libsql/client/http"],
  ["src/operations/a.ts", "#engine/queue.ts"],
  ["src/engine/a.ts", "#http/log.ts"],
  ["src/engine/a.ts", "#env.ts"],
  ["src/engine/a.ts", "#operations/operation.ts"],
  ["src/engine/a.ts", "#domain/refusal.ts"],
  ["src/engine/a.ts", "#store/clicks.ts"],
  ["src/engine/a.ts", "drizzle-orm"],
  ["src/ledger/a.ts", "#http/log.ts"],
  ["src/ledger/a.ts", "#api/read-database.ts"],
  ["src/ledger/a.ts", "drizzle-orm/sqlite-core"],
  ["src/ledger/a.ts", "@hono/zod-openapi"],
  ["src/http/a.ts", "#store/schema/sales.ts"],
  ["src/http/a.ts", "#api/read-database.ts"],
  ["src/http/a.ts", "#ledger/ledger.ts"],
  ["src/http/a.ts", "drizzle-orm"],
  ["src/requests/a.ts", "#operations/operation.ts"],
  ["src/requests/a.ts", "#http/log.ts"],
  ["src/http/a.ts", "#requests/request-log.ts"],
  ["src/store/accounts/a.ts", "#operations/operation.ts"],
  ["src/operations/track/a.ts", "#ledger/rpc.ts"],
  ["src/operations/track/a.ts", "#env.ts"],
  ["src/http/schema/a.ts", "#store/schema/sales.ts"],
  ["src/routes/openapi/a.ts", "#engine/loop.ts"],
  ["src/api/a.ts", "#doors/member/guards.ts"],
  ["src/api/a.ts", "#routes/track/sale.ts"],
  ["src/api/a.ts", "#ledger/ledger.ts"],
  ["src/doors/member/a.ts", "#routes/track/sale.ts"],
  ["src/doors/member/a.ts", "#ledger/ledger.ts"],
  ["src/routes/a.ts", "#ledger/ledger.ts"],
  ["src/routes/a.ts", "#app.ts"],
  ["src/routes/track/a.ts", "#engine/loop.ts"],
  ["src/routes/track/a.ts", "#worker.ts"],
  ["src/routes/track/a.ts", "@libsql/client/http"],
  ["src/app.ts", "#store/database.ts"],
  ["src/app.ts", "#ledger/ledger.ts"],
  ["src/worker.ts", "#domain/book.ts"],
  ["src/env.ts", "#http/log.ts"],
  ["src/env.ts", "hono"],
  ["src/http/a.ts", "../../test/support/users-fixture.ts"],
  ["scripts/a.ts", "../test/support/users-fixture.ts"],
  ["scripts/a.ts", "../harness/world.ts"],
  ["bench/a.ts", "../test/support/users-fixture.ts"],
  ["harness/a.ts", "../test/support/users-fixture.ts"],
  ["tracker/src/a.ts", "#domain/book.ts"],
  ["tracker/src/a.ts", "zod"],
  ["sdk/src/a.ts", "../../src/domain/book.ts"],
  ["sdk/src/a.ts", "../../tracker/src/main.ts"],
  ["sdk/src/a.ts", "stripe"],
  ["sdk/src/a.ts", "node:crypto"],
  ["sdk/cli/a.ts", "../../src/domain/book.ts"],
  ["sdk/cli/a.ts", "commander"],
  ["sdk/cli/a.ts", "papaparse"],
  ["sdk/cli/a.ts", "../../importer/table.ts"],
  ["sdk/cli/imports/a.ts", "../../../importer/table.ts"],
  ["sdk/src/a.ts", "../../importer/index.ts"],
  ["src/routes/a.ts", "../../importer/index.ts"],
  ["importer/a.ts", "#domain/currency.ts"],
  ["importer/a.ts", "../src/domain/currency.ts"],
  ["importer/presets/a.ts", "../../src/domain/currency.ts"],
  ["importer/a.ts", "../sdk/src/fields.ts"],
  ["importer/a.ts", "node:fs"],
  ["importer/a.ts", "zod"],
  ["dashboard/src/a.ts", "#api/programs.ts"],
  ["dashboard/src/pages/a.tsx", "#domain/money.ts"],
  ["dashboard/src/partner/a.ts", "#doors/partner/guards.ts"],
  ["dashboard/src/a.ts", "../../src/domain/currency.ts"],
  ["dashboard/src/a.ts", "../../test/support/users-fixture.ts"],
  ["dashboard/src/a.ts", "../../harness/world.ts"],
  ["dashboard/src/a.ts", "zod"],
  ["dashboard/src/a.ts", "papaparse"],
  ["dashboard/src/pages/a.tsx", "../../../importer/table.ts"],
] as const;

const allowed = [
  ["src/domain/a.ts", "./book.ts"],
  ["src/domain/a.ts", "node:crypto"],
  ["src/store/a.ts", "#domain/book.ts"],
  ["src/store/a.ts", "drizzle-orm"],
  ["src/operations/a.ts", "#store/sales.ts"],
  ["src/engine/a.ts", "#store/statement.ts"],
  ["src/ledger/a.ts", "#engine/loop.ts"],
  ["src/ledger/a.ts", "#operations/track/record-sale.ts"],
  ["src/ledger/a.ts", "cloudflare:workers"],
  ["src/requests/a.ts", "#store/erasures.ts"],
  ["src/http/a.ts", "#requests/rpc.ts"],
  ["src/http/a.ts", "#domain/refusal.ts"],
  ["src/http/a.ts", "hono"],
  ["src/store/accounts/a.ts", "../database.ts"],
  ["src/store/accounts/a.ts", "#domain/role.ts"],
  ["src/operations/track/a.ts", "../operation.ts"],
  ["src/operations/track/a.ts", "../attribution/customer.ts"],
  ["src/operations/track/a.ts", "#store/sales.ts"],
  ["src/http/refusal/a.ts", "../context.ts"],
  ["src/http/refusal/a.ts", "#domain/refusal.ts"],
  ["src/doors/member/a.ts", "#http/log.ts"],
  ["src/doors/member/a.ts", "#api/coupons.ts"],
  ["src/routes/track/a.ts", "#ledger/rpc.ts"],
  ["src/routes/track/a.ts", "#doors/key/guards.ts"],
  ["src/routes/track/a.ts", "#http/schema/web-url.ts"],
  ["src/app.ts", "#routes/api.ts"],
  ["src/worker.ts", "#ledger/ledger.ts"],
  ["scripts/a.ts", "#store/schema/sales.ts"],
  ["bench/a.ts", "../harness/world.ts"],
  ["harness/a.ts", "#store/schema/sales.ts"],
  ["tracker/src/a.ts", "./store.ts"],
  ["tracker/src/a.ts", "../svc.d.ts"],
  ["sdk/src/a.ts", "./fields.ts"],
  ["sdk/src/a.ts", "../../tracker/svc.d.ts"],
  ["sdk/src/a.ts", "react"],
  ["sdk/cli/a.ts", "../src/fields.ts"],
  ["sdk/cli/a.ts", "node:util"],
  ["sdk/cli/a.ts", "../../importer/index.ts"],
  ["sdk/cli/imports/a.ts", "../../../importer/index.ts"],
  ["importer/a.ts", "./columns.ts"],
  ["importer/a.ts", "./presets/presets.ts"],
  ["importer/presets/a.ts", "../columns.ts"],
  ["importer/a.ts", "papaparse"],
  ["dashboard/src/a.ts", "#doors/member/index.ts"],
  ["dashboard/src/partner/a.ts", "#doors/partner/index.ts"],
  ["dashboard/src/a.ts", "#domain/currency.ts"],
  ["dashboard/src/pages/a.tsx", "../components/card.tsx"],
  ["dashboard/src/a.ts", "preact/hooks"],
  ["dashboard/src/a.ts", "../../importer/index.ts"],
  ["dashboard/src/pages/partners/a.tsx", "../../../../importer/index.ts"],
] as const;

describe("the linter", () => {
  interface Tried {
    readonly name: string;
    readonly path: string;
    findings: readonly Finding[];
  }
  const tried = (cases: readonly (readonly [string, string])[], first: number): Tried[] =>
    cases.map(([file, path], i) => {
      const isWhole = /^src\/\w+\.ts$/.test(file);
      return { name: isWhole ? file : file.replace(/a\.(tsx?)$/, `a${first + i}.$1`), path, findings: [] };
    });
  const refused = tried(forbidden, 0);
  const accepted = tried(allowed, forbidden.length);
  let found: readonly Finding[];

  /**
   * Lints all cases in few runs. Each case is a file, so that findings can be assigned to cases. Cases with the same
   * file name are linted in different runs.
   */
  beforeAll(async () => {
    let waiting = [...refused, ...accepted];
    for (let turn = 0; waiting.length > 0; turn += 1) {
      const now = waiting.filter(({ name }, i) => waiting.findIndex((other) => other.name === name) === i);
      const files = Object.fromEntries(now.map(({ name, path }) => [name, textOf(name, path)]));
      const findings = await lint({ ...files, ...(turn === 0 && faulty) });
      for (const each of now) each.findings = findings.filter(({ file }) => file === each.name);
      if (turn === 0) found = findings;
      waiting = waiting.filter((each) => !now.includes(each));
    }
  });

  const foundBelow = (folder: string) =>
    found
      .filter(({ file }) => file.includes(`/${folder}/`))
      .map(({ file, rule }) => `${file.replace(`/${folder}/`, "/")} ${rule}`)
      .toSorted();

  test("the linter rejects imports across a boundary between parts of the project", () => {
    const passed = forbidden.filter((_, i) => !refused[i]?.findings.some(({ rule }) => rule === "noRestrictedImports"));
    expect(passed).toEqual([]);
  });

  test("the linter allows imports that cross no boundary between parts of the project", () => {
    expect(allowed.filter((_, i) => accepted[i]?.findings.length !== 0)).toEqual([]);
  });

  test("the linter rejects import() and re-exports across a boundary, as it rejects imports", () => {
    const restricted = ["a", "b", "c"].map((name) => `src/domain/${name}.ts noRestrictedImports`);
    expect(foundBelow("passed")).toEqual(restricted);
  });

  test("the linter rejects the type `any` and non-null assertions", () => {
    expect(foundBelow("typed")).toEqual(["src/domain/a.ts noExplicitAny", "src/domain/b.ts noNonNullAssertion"]);
  });

  test("the linter rejects floating promises, import cycles and default exports", () => {
    expect(foundBelow("formed")).toEqual([
      "src/domain/a.ts noFloatingPromises",
      "src/domain/b.ts noMisusedPromises",
      "src/domain/c.ts noImportCycles",
      "src/domain/d.ts noImportCycles",
      "src/domain/e.ts noDefaultExport",
    ]);
  });

  test("the linter rejects files and functions that are too long, and functions with too many parameters or decisions", () => {
    const ofFunctions = (file: string) =>
      ["noExcessiveCognitiveComplexity", "noExcessiveLinesPerFunction", "useMaxParams"].map(
        (rule) => `${file} ${rule}`,
      );
    expect(foundBelow("long")).toEqual([
      ...ofFunctions("bench/a.ts"),
      "dashboard/src/a.css noExcessiveLinesPerFile",
      ...ofFunctions("dashboard/src/a.tsx"),
      ...ofFunctions("harness/a.ts"),
      ...ofFunctions("sdk/src/a.ts"),
      "src/domain/a.ts noExcessiveLinesPerFile",
      "src/domain/b.ts noExcessiveLinesPerFunction",
      "src/domain/c.ts useMaxParams",
      "src/domain/d.ts noExcessiveCognitiveComplexity",
      "test/a.ts noExcessiveLinesPerFile",
      ...ofFunctions("tracker/src/a.ts"),
    ]);
  });
});

const sources = globSync("src/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");

const filesWith = async (files: readonly string[], pattern: RegExp) => {
  const found = await Promise.all(
    files.map(async (file) =>
      pattern.test(withoutComments(await readFile(join(root, file), "utf8"))) ? file : undefined,
    ),
  );
  return found.filter((file) => file !== undefined);
};

test("only the modules that read the settings contain the names of bindings and variables", async () => {
  const toml = await readFile(join(root, "wrangler.toml"), "utf8");
  const names = [...toml.matchAll(/^(?:name|binding) = "([A-Z_]+)"|^([A-Z_]+) = |"([A-Z_]+)"(?=[,\]])/gm)].flatMap(
    ([, binding, variable, secret]) => [binding ?? variable ?? secret ?? []].flat(),
  );
  expect(names).toEqual(expect.arrayContaining(["LEDGER", "ASSETS", "CLICK_LIMIT", "DATABASE_URL", "HASH_SECRET"]));
  const settings = ["src/env.ts", "src/check-env.ts", "src/domain/limit-bindings.ts"];
  const others = sources.filter((file) => !settings.includes(file));
  const named = new RegExp(
    `\\b(?:env|bindings)\\??\\.(?:${names.join("|")})\\b|\\b(?:${names.filter((name) => name.includes("_")).join("|")})\\b`,
  );
  expect(named.test("c.env.LEDGER.get(id)")).toBe(true);
  expect(await filesWith(others, named)).toEqual([]);
});

test("the domain uses no clock, randomness or network", async () => {
  const impure =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(?:Bytes|UUID|Int)\(|getRandomValues|\bfetch\(|(?<!\/)\bperformance\b|\bprocess\b/;
  const domain = sources.filter((file) => file.startsWith("src/domain/"));
  expect(domain.length).toBeGreaterThan(0);
  expect(await filesWith(domain, impure)).toEqual([]);
});

test("the importer uses no clock, and no API of Node or the browser", async () => {
  const runtime =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bfetch\(|\bprocess\b|\bBuffer\b|\b(?:document|window|globalThis)\./;
  const files = globSync("importer/**/*.ts", { cwd: root });
  expect(files.length).toBeGreaterThan(0);
  expect(await filesWith(files, runtime)).toEqual([]);
});

test("no test requires that JSON lacks a word so short that random text may contain it", async () => {
  const short = /JSON\.stringify\(.*\.not\.toContain\("[\w+/=-]{1,7}"\)/;
  const isShort = (word: string) => short.test(`expect(JSON.stringify(rows)).not.toContain("${word}");`);
  expect(["Ada", "ada@example.com"].map(isShort)).toEqual([true, false]);
  expect(await filesWith(globSync("test/**/*.ts", { cwd: root, exclude: ["**/node_modules"] }), short)).toEqual([]);
});

test("the code of the edge Worker imports only types from the Ledger and the operations", () => {
  const edges = Object.entries(inject("build").metafile.inputs).flatMap(([file, { imports }]) =>
    imports.filter(({ external }) => !external).map(({ path }) => ({ file, path })),
  );
  expect(edges.length).toBeGreaterThan(100);
  const crossing = edges.filter(
    ({ file, path }) => /^src\/(?:http|routes)\//.test(file) && /^src\/(?:operations|engine|ledger)\//.test(path),
  );
  expect(crossing).toEqual([]);
});
