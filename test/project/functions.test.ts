import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAst } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";

const mostStatements = 35;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly argument?: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode);

const isFunction = ({ type }: Node): boolean =>
  /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(type);
const isStatement = ({ type }: Node): boolean =>
  type !== "BlockStatement" && /^(\w+Statement|VariableDeclaration|FunctionDeclaration)$/.test(type);

/** True for `...{ a, b }` and `...([a, b] as const)`, which only put several items on one line. */
function isPacked({ type, argument }: Node): boolean {
  let packed = argument;
  while (isNode(packed) && "expression" in packed) packed = packed.expression;
  return type === "SpreadElement" && isNode(packed) && /^(Object|Array)Expression$/.test(packed.type);
}

function faultsIn(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const lineOf = ({ start }: Node) => text.slice(0, start).split("\n").length;
  /** Returns the number of statements in the node, without those of nested functions. */
  function visit(node: Node): number {
    if (isPacked(node)) found.push(`${file}:${lineOf(node)} is packed`);
    let statements = 0;
    for (const child of childrenOf(node)) statements += visit(child) + (isStatement(child) ? 1 : 0);
    if (!isFunction(node)) return statements;
    if (statements > mostStatements) found.push(`${file}:${lineOf(node)} has ${statements} statements`);
    return 0;
  }
  visit(parseAst(text, { lang: file.endsWith("x") ? "tsx" : "ts" }));
  return found;
}

describe("functions", () => {
  test("the check counts a function's statements without those of nested functions, and finds items packed by spreading a literal", () => {
    const many = "if (a) b();\n".repeat(17);
    expect(faultsIn("a.ts", `function a() {\n${many}const f = () => { b(); };\n}`)).toEqual([]);
    expect(faultsIn("a.ts", `const a = () => {\n${many}b();\nreturn 1;\n}`)).toEqual(["a.ts:1 has 36 statements"]);
    expect(faultsIn("a.ts", "const a = { ...{ b, c }, ...d };\nconst e = [...([f] as const), ...g];")).toEqual([
      "a.ts:1 is packed",
      "a.ts:2 is packed",
    ]);
  });

  test(`functions have at most ${mostStatements} statements, and no literal packs items into a spread literal`, async () => {
    const files = globSync("{bench,dashboard/src,harness,importer,runtime,scripts,src,tracker}/**/*.{ts,tsx}", {
      cwd: root,
      exclude: (name) => name.endsWith(".d.ts"),
    });
    expect(files.length).toBeGreaterThan(1_000);
    const texts = files.map(async (file) => faultsIn(file, await readFile(join(root, file), "utf8")));
    expect((await Promise.all(texts)).flat()).toEqual([]);
  });
});
