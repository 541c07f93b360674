const lines = (count: number) => "  console.log(1);\n".repeat(count);
const branches = "  if (a) for (;;) if (b) for (;;) if (c) for (;;) if (d) return 1;\n";

/** Code that the linter rejects, other than imports. Each kind of fault has its own folder. */
export const faulty: Readonly<Record<string, string>> = {
  "src/domain/passed/a.ts": 'export * from "#store/schema/sales.ts";\n',
  "src/domain/passed/b.ts": 'export const late = () => import("#store/schema/sales.ts");\n',
  "src/domain/passed/c.ts": 'import type { it } from "#store/schema/sales.ts";\nexport type Mine = it;\n',
  "src/domain/typed/a.ts": "export const f = (x: any) => x;\n",
  "src/domain/typed/b.ts": "export const g = (list: string[]) => list[0]!;\n",
  "src/domain/formed/a.ts": "const f = async () => 1;\nexport const g = () => {\n  f();\n};\n",
  "src/domain/formed/b.ts": "const each = (f: () => void) => f();\neach(async () => {});\n",
  "src/domain/formed/c.ts": 'import { d } from "./d.ts";\nexport const c = () => d;\n',
  "src/domain/formed/d.ts": 'import { c } from "./c.ts";\nexport const d = () => c;\n',
  "src/domain/formed/e.ts": "export default 1;\n",
  "src/domain/long/a.ts": `${lines(351)}export {};\n`,
  "test/long/a.ts": `${lines(351)}export {};\n`,
  "dashboard/src/long/a.css": Array.from({ length: 118 }, (_, i) => `.a${i} {\n  color: red;\n}\n`).join(""),
  "src/domain/long/b.ts": `export function b() {\n${lines(101)}}\n`,
  "src/domain/long/c.ts": "export const c = (a: 1, b: 1, d: 1, e: 1, f: 1) => [a, b, d, e, f];\n",
  "src/domain/long/d.ts": `export function f(a: 1, b: 1, c: 1, d: 1) {\n${branches}  return 0;\n}\n`,
  ...Object.fromEntries(
    [
      "bench/long/a.ts",
      "dashboard/src/long/a.tsx",
      "harness/long/a.ts",
      "sdk/src/long/a.ts",
      "tracker/src/long/a.ts",
    ].map((file) => [
      file,
      `export function f(a: 1, b: 1, c: 1, d: 1, e: 1) {\n${branches}${lines(100)}  return e;\n}\n`,
    ]),
  ),
};
