import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { blocksOf, readDocument } from "../support/documents.ts";
import { newIntegrator } from "../support/integrator.ts";
import { whyNot } from "../support/interpreters.ts";
import { createProgramFixture } from "../support/program-fixture.ts";
import { sharedService } from "../support/shared-service.ts";

const [settings, install, shopTs, runTs, saidTs, client, shopPy, runPy, saidPy, ...more] = blocksOf(
  readDocument("docs/other-languages.md"),
).map(({ text }) => text);

/** Creates a reader's project, with the page's program and partner. */
async function newReader() {
  const integrator = await newIntegrator();
  onTestFinished(integrator.dispose);
  const { world } = await createProgramFixture({ partners: [{ code: "DEMO" }, {}] });
  const env = { TRIBUTARY_URL: sharedService.url, TRIBUTARY_API_KEY: world.key };
  const save = (name: string, text = "") =>
    writeFile(join(integrator.project, name), text.replace(/(program_id"?): 1/, `$1: ${world.programId}`));
  return {
    project: integrator.project,
    save,
    shell: (text = "") => integrator.shell(text, { env }),
    /** Returns the program's sale with its refund. */
    sales: () =>
      world.rows(
        "select transaction_id, amount_cents, refunded_cents from sales where program_id = ?",
        world.programId,
      ),
  };
}

const pageSale = { transaction_id: "in_1042", amount_cents: 4900, refunded_cents: 900 };

/** Returns the path where npm installed the package. The page uses another compiler than this project. */
const installed = (name: string): string =>
  [join(root, "node_modules/tributary-test-clients/node_modules", name), join(root, "node_modules", name)].find(
    existsSync,
  ) ?? name;

/**
 * Replaces npm, which has no registry here, and its compiler. This project's compiler does the same check in a tenth of
 * the time.
 */
const tools = `npm() { :; }
npx() {
  shift # --no-install
  case $1 in
    tsc) shift; node "${join(root, "node_modules/typescript/bin/tsc")}" "$@" ;;
    *) tool=$1; shift; node "node_modules/$tool/bin/cli.js" "$@" ;;
  esac
}
`;

test("the tests use every code block of the page about other languages", () => {
  expect(more).toEqual([]);
  expect(settings).toMatch(/^export TRIBUTARY_URL=\S+\nexport TRIBUTARY_API_KEY=svc_…\n$/);
});

test("the generated TypeScript client compiles, and tracks a customer from the click to the explanation", {
  tags: "soak",
}, async () => {
  const { devDependencies } = JSON.parse(await readFile(join(root, "test/clients/package.json"), "utf8"));
  const named = install?.matchAll(/(@?[\w/-]+)@([\d.]+)/g) ?? [];
  expect(Object.fromEntries([...named].map(([, name, version]) => [name, version]))).toEqual(devDependencies);

  const { project, save, shell, sales } = await newReader();
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  for (const name of [...Object.keys(devDependencies), "openapi-typescript-helpers"])
    await symlink(installed(name), join(project, "node_modules", name));
  await save("package.json", '{"type":"module"}');
  await save("shop.ts", shopTs);
  await shell(tools + install);
  expect(await shell(tools + runTs)).toBe(saidTs);
  expect(await sales()).toEqual([pageSale]);
});

test.skipIf(whyNot("python3"))("a Python client generated from the OpenAPI document records a sale", async () => {
  const { save, shell, sales } = await newReader();
  await save("tributary.py", client);
  await save("shop.py", shopPy);
  expect(await shell(runPy)).toBe(saidPy);
  expect(await sales()).toEqual([pageSale]);
});
