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

/** A reader's project, and the page's program and partner in it. */
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
    /** The sum of the program's rows: the page's sale less its refund. */
    sales: () =>
      world.rows(
        "select transaction_id, amount_cents, refunded_cents from sales where program_id = ?",
        world.programId,
      ),
  };
}

const pageSale = { transaction_id: "in_1042", amount_cents: 4900, refunded_cents: 900 };

/** The path where npm installed it: the page's compiler isn't ours. */
const installed = (name: string): string =>
  [join(root, "node_modules/tributary-test-clients/node_modules", name), join(root, "node_modules", name)].find(
    existsSync,
  ) ?? name;

/** npm has no registry here. Our own compiler checks the same in a tenth of the time. */
const tools = `npm() { :; }
npx() {
  shift # --no-install
  case $1 in
    tsc) shift; node "${join(root, "node_modules/typescript/bin/tsc")}" "$@" ;;
    *) tool=$1; shift; node "node_modules/$tool/bin/cli.js" "$@" ;;
  esac
}
`;

test("every block of the page is tested", () => {
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

test.skipIf(whyNot("python3"))("a Python program generated from the document records a sale", async () => {
  const { save, shell, sales } = await newReader();
  await save("tributary.py", client);
  await save("shop.py", shopPy);
  expect(await shell(runPy)).toBe(saidPy);
  expect(await sales()).toEqual([pageSale]);
});
