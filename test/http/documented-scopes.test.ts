import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyScopes } from "#domain/program-key.ts";
import { openApiDocument } from "#routes/openapi/document.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/keys.md"), "utf8");

test("docs/keys.md lists for each scope exactly the calls that need this scope", () => {
  const calls = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { security = [] }]) =>
      security.flatMap(({ programKey = [] }) => programKey.map((scope) => [scope, `${method.toUpperCase()} ${path}`])),
    ),
  );
  for (const scope of keyScopes) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${scope}\` |`)) ?? "";
    const listed = [...row.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, call = ""]) => call);
    const needed = calls.flatMap(([name, call]) => (name === scope ? [call] : []));
    expect(listed.toSorted(), scope).toEqual(needed.toSorted());
  }
});

const wordsOf = (cell: string): readonly string[] => cell.match(/\w+/g) ?? [];

test("docs/keys.md lists only existing scopes for each system's key, and never gives a test key the scope manage", () => {
  const [, table = ""] = /\| system \| scopes \| book \|\n\|---\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const rows = table.split("\n").map((line) => line.split(" | ").slice(-2).map(wordsOf));
  expect(rows.length).toBeGreaterThan(4);
  for (const [scopes = [], [book] = []] of rows) {
    expect(scopes.filter((scope) => !keyScopes.some((known) => known === scope))).toEqual([]);
    expect(["both", ...(scopes.includes("manage") ? [] : ["test"])]).toContain(book);
  }
});
