import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { node, root } from "../../scripts/root.ts";
import { sampled } from "../support/breadth.ts";
import { execute } from "../support/tributary.ts";
import { builtBefore } from "./started.ts";

const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const benchmarks = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /^exec sh scripts\/with-node node (bench\/\S+)$/.exec(command) ?? [];
  return file === undefined ? [] : [[name, file] as const];
});

const read = (path: string) => readFile(join(root, path), "utf8");

test("bench/README.md lists exactly the benchmark commands", async () => {
  const page = await read("bench/README.md");
  const named = new Set(Array.from(page.matchAll(/^\| `npm run (bench[\w:-]*)/gm), ([, name]) => name));
  expect(benchmarks.map(([name]) => name).sort()).toEqual([...named].sort());
});

/** Returns the medians by call and number of connections, without their spread. */
const medians = (text: string, cells: number) =>
  Array.from(text.matchAll(/^\| (?:click|lead|sale|refund|readiness) .*/gm), ([line]) =>
    line
      .split("|")
      .slice(1, 1 + cells)
      .map((cell) => cell.trim().replace(/ \(.*/, "")),
  );

test("docs/performance.md shows the medians that the benchmark measured", async () => {
  const developers = await read("bench/README.md");
  const [calls = ""] = developers.split("<!-- /bench:calls -->");
  const [measured = "", costs = ""] = calls.split("Cost per call");
  const page = await read("docs/performance.md");
  const shown = medians(page, 5);
  expect(shown).toHaveLength(15);
  expect(shown).toEqual(medians(measured, 5));

  const cell = (line: RegExp) => line.exec(page)?.[1];
  const [, starts = ""] = developers.split("<!-- bench:starts -->");
  const median = (name: string) => new RegExp(`^\\| ${name}.*\\| ([\\d.,]+) `, "m").exec(starts)?.[1];
  expect(cell(/^\| first start.* \| (.+) s \|$/m)).toBe(median("first start"));
  expect(cell(/^\| later start \| (.+) s \|$/m)).toBe(median("later start"));
  expect(cell(/^\| memory when idle.* \| (.+) MB \|$/m)).toBe(median("memory when idle"));
  const written = medians(costs, 8).filter(([call, connections]) => call !== "readiness" && connections === "32");
  expect(cell(/^\| database per .* \| (.+) bytes \|$/m)).toBe(written.map((row) => row[6]).join(" · "));
  const kilobytes = written.map((row) => (Number(row[7]?.replace(",", "")) / 1_000).toFixed(1));
  expect(cell(/^\| written to the disk per .* \| (.+) kB \|$/m)).toBe(kilobytes.join(" · "));
});

test.each(sampled(benchmarks))("npm run %s starts what it measures, and finishes", async (_, file) => {
  const args = [file, "--try", inject("buildDirectory")];
  expect(await execute(node, args, builtBefore())).toMatchObject({ code: 0 });
});

test.each(sampled(["bench/moves.ts --unknown", "bench/payouts.ts --tiers"]))(
  "a benchmark with an unknown flag measures nothing and shows its own flags: %s",
  async (command) => {
    const { code, stderr } = await execute(node, command.split(" "));
    expect(code).toBe(2);
    expect(stderr).toContain("--rounds <n>");
    expect(stderr).not.toContain("--connections");
  },
);

test("npm run bench also finishes on workerd, where it measures the limit of sqld alone as well", {
  tags: "soak",
}, async () => {
  const args = ["bench/bench.ts", "--try", inject("buildDirectory")];
  expect(await execute(node, args, { TEST_RUNTIME: "workerd" })).toMatchObject({ code: 0 });
});
