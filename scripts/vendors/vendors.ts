import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { exit } from "../../sdk/cli/exit.ts";
import { readFlags } from "../command.ts";
import { root } from "../root.ts";
import { type Vendor, vendors } from "./checked.ts";

// npm run vendors: prints which vendors have published a newer package than the version that their guide was checked
// against.

readFlags("Usage: npm run vendors", {});

interface Asked {
  readonly vendor: Vendor;
  /** The newest version. Undefined if there is no package or no response. */
  readonly newest?: { readonly version: string; readonly day: string };
  /** npm's error code, such as ENOTFOUND. */
  readonly failure?: string;
}

/** Asks npm for the newest version, because npm knows which registry to use. */
async function ask(vendor: Vendor): Promise<Asked> {
  if (!vendor.package) return { vendor };
  const args = ["view", vendor.package.name, "version", "time", "--json", "--fetch-retries=0"];
  try {
    const { stdout } = await promisify(execFile)("npm", args, { cwd: root });
    const { version, time } = JSON.parse(stdout) as { version: string; time: Readonly<Record<string, string>> };
    return { vendor, newest: { version, day: time[version]?.slice(0, 10) ?? "" } };
  } catch (error) {
    const { stdout = "", code } = error as { stdout?: string; code?: unknown };
    return { vendor, failure: /"code": "(\w+)"/.exec(stdout)?.[1] ?? String(code ?? error) };
  }
}

/** Compares versions. Needn't handle pre-releases, because npm doesn't tag them as latest. */
const isNewer = (one: string, other: string): boolean =>
  one.localeCompare(other, "en", { numeric: true, usage: "sort" }) > 0;

const hasNewer = ({ vendor, newest }: Asked): boolean =>
  newest !== undefined && isNewer(newest.version, vendor.package?.version ?? "");

function table(asked: readonly Asked[]): string {
  const rows = asked.map(({ vendor: { name, apis, package: own, checkedOn }, newest, failure }) => [
    name,
    own ? `${own.name} ${own.version}` : `API ${apis.join(", ")}`,
    checkedOn,
    newest?.version ?? (failure ? "?" : "no package"),
    newest?.day ?? "",
  ]);
  const lines = [["vendor", "checked", "on", "newest", "of"], ...rows];
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const steps = ({ vendor: { name, page, package: own, changes }, newest }: Asked): string => `
${name} has ${own?.name} ${newest?.version}:
  1. Compare what changed with ${page} and the helper in sdk/src: ${changes}
  2. Raise ${own?.name} wherever a package.json names it, and run npm run typecheck: it finds fields that moved.
  3. npm run vitest run test/sdk/vendors test/examples/vendors
  4. Write the version and the day into scripts/vendors/checked.ts, and the line that test/project/vendors expects into ${page}.`;

const asked = await Promise.all(vendors.map(ask));
const newer = asked.filter(hasNewer);
const failed = asked.filter(({ failure }) => failure !== undefined);
console.log(table(asked));
for (const each of newer) console.log(steps(each));
for (const { vendor } of asked.filter(({ vendor }) => !vendor.package)) {
  console.log(`\n${vendor.name} has no package. Read what changed since ${vendor.checkedOn}: ${vendor.changes}`);
}
if (failed.length > 0) {
  const codes = failed.map(({ vendor, failure }) => `${vendor.package?.name} (${failure})`).join(", ");
  console.error(`\nnpm got no answer about ${codes}. Are you offline? Nothing is known of these: try again.`);
}
process.exitCode = newer.length > 0 ? exit.refused : failed.length > 0 ? exit.unreachable : exit.good;
