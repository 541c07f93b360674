import { readFileSync } from "node:fs";

// node scripts/release/summary.ts <vitest's JSON report> <exit code of npm test>: prints the numbers of passed and
// failed tests, and exits like the tests. A failure outside a test counts as one failed test.

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

const [file = "", exitCode = "1"] = process.argv.slice(2);
const report = read(file);
const isGood = exitCode === "0" && report?.success === true;

if (report === undefined) console.log("\nThe tests did not run: types or lint failed, see above.");
const passed = report?.numPassedTests ?? 0;
const failed = (report?.numFailedTests ?? 0) + (report === undefined ? 0 : brokenFiles(report));
console.log(`\n${passed} passed, ${isGood ? failed : Math.max(failed, 1)} failed`);
process.exitCode = isGood ? 0 : Number(exitCode) || 1;

function brokenFiles({ testResults }: Report): number {
  return testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
}

function read(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
