import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { readReleases } from "../../sdk/releases.ts";

// npm's registry has no package of ours, so anyone could publish one under our name.

const read = (file: string) => readFileSync(join(root, file), "utf8");
const find = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|results)$/.test(path) });

/** The served version. The version in sdk/package.json may not be released yet. */
const version = (await readReleases()).at(-1)?.version;
const others = [
  ...find("examples/*/package.json").flatMap((file) => Object.keys(JSON.parse(read(file)).dependencies)),
  ...Object.entries(JSON.parse(read("test/clients/package.json")).devDependencies).map((each) => each.join("@")),
];

/** True for the package's URL. In a page's source, an expression stands for the host of the reader's service. */
const isAddress = (argument: string) =>
  [
    `https://tributary.example/sdk/tributary-sdk-${version}.tgz`,
    "https://tributary.example/sdk.tgz",
    "http://127.0.0.1:8787/sdk.tgz",
  ].includes(argument) || argument.startsWith("${");

/** Returns the arguments of each such command in the text. */
const commandsIn = (text: string, command: RegExp): string[][] =>
  [...text.matchAll(new RegExp(`\\b${command.source}(?![\\w-])([^\\n\`#&|;)]*)`, "g"))].map(([, rest = ""]) =>
    rest.trim().split(/\s+/).filter(Boolean),
  );

const isSafeInstall = (args: readonly string[]) =>
  args.every((arg) => arg.startsWith("-") || isAddress(arg) || (others.includes(arg) && !arg.includes("tributary")));

const isSafeNpx = ([first = "", second = "", third = ""]: readonly string[]) =>
  first === "--no-install"
    ? ["tributary-sdk", "wrangler", "openapi-typescript", "tsc"].includes(second)
    : first === "--yes" && second === "--allow-remote=root" && isAddress(third);

function faultsOf(text: string): string[] {
  const installs = commandsIn(text, /npm (?:install|i|add)/);
  const isAllowed = text.includes("allow-remote=root");
  return [
    ...installs.filter((args) => !isSafeInstall(args) || (args.some(isAddress) && !isAllowed)),
    ...commandsIn(text, /npx/).filter((args) => !isSafeNpx(args)),
    ...commandsIn(text, /npm (?:x|exec)/),
  ].map((args) => args.join(" "));
}

test.each([
  "npm install tributary",
  "npm i tributary-sdk",
  "npm install tributary-sdk@0.2.0",
  "npm install express stripe tributary-sdk && node server.ts",
  "npm install https://tributary.example/sdk/tributary-sdk-0.0.1.tgz --allow-remote=root",
  `npm install https://tributary.example/sdk/tributary-sdk-${version}.tgz`,
  "npx tributary-sdk verify",
  "npx --yes tributary-sdk verify",
  "npx --yes https://tributary.example/sdk.tgz verify",
  "npm exec tributary-sdk",
])("the check of install commands reports %s", (text) => {
  expect(faultsOf(text)).toHaveLength(1);
});

const codeIn = (page: string) =>
  [...page.matchAll(/```\w*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, span]) => block ?? span ?? "");
const documents = find("**/*.md").map((file) => [file, codeIn(read(file))] as const);
const sources = find("{dashboard/src,src/routes,sdk/src,sdk/cli}/**/*.{ts,tsx}").map(
  (file) => [file, [read(file)]] as const,
);

test("every document and page installs and runs only the package that the service serves", () => {
  const files = [...documents, ...sources, ["scripts/service/start.ts", [read("scripts/service/start.ts")]] as const];
  const found = files.map(([file, texts]) => [file, texts.flatMap(faultsOf)] as const);
  expect(found.filter(([, faults]) => faults.length > 0)).toEqual([]);
});

test("the check finds the install and run commands in the documents", () => {
  const texts = documents.flatMap(([, code]) => code);
  expect(texts.flatMap((text) => commandsIn(text, /npm install/)).length).toBeGreaterThan(5);
  expect(texts.flatMap((text) => commandsIn(text, /npx/)).length).toBeGreaterThan(10);
});

test("no document tells readers to build before npm start", () => {
  for (const [file, texts] of documents) expect(texts.join("\n"), file).not.toMatch(/npm run build && npm start/);
});
