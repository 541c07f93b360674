import { readFileSync } from "node:fs";

// node scripts/release/summary.ts <vitest's JSON report> <exit code of npm test>: prints what failed and why, then the
// numbers of passed and failed tests, and exits like the tests. A failure outside a test counts as one failed test.

interface Report {
  readonly numPassedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly failureMessages: readonly string[];
      readonly status: string;
    }[];
  }[];
}

const linesOfAFailure = 25;

const [file = "", exitCode = "1"] = process.argv.slice(2);
const report = read(file);
const isGood = exitCode === "0" && report?.success === true;

if (report === undefined) console.log("\nThe tests did not end: types or lint failed, see above.");
const failures = report?.testResults.flatMap(failuresOf) ?? [];
for (const failure of failures) console.log(`\n${failure.split("\n").slice(0, linesOfAFailure).join("\n")}`);
const { length } = failures;
if (report !== undefined && !isGood && length === 0) {
  console.log(`\nNo test failed, but npm test ended with ${exitCode}: an error outside of tests, see above.`);
}
console.log(`\n${report?.numPassedTests ?? 0} passed, ${isGood ? length : Math.max(length, 1)} failed`);
process.exitCode = isGood ? 0 : Number(exitCode) || 1;

function failuresOf({ name, message, status, assertionResults }: Report["testResults"][number]): string[] {
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length === 0) return status === "failed" ? [`Failed: ${name}\n${message}`] : [];
  return tests.map(({ fullName, failureMessages }) => `Failed: ${name} > ${fullName}\n${failureMessages.join("\n")}`);
}

function read(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
