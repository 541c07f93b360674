import { readAddress } from "../address.ts";
import { type ExitCode, exit } from "../exit.ts";
import { readFlags } from "../flags.ts";
import { lastEvents } from "../gates.ts";
import { bold, createOutput, dim, green, red, yellow } from "../output.ts";
import type { Finding } from "./finding.ts";
import { checkPage, readPage } from "./page.ts";
import { checkProgram, type ProgramReport } from "./program.ts";
import { checkReach } from "./reach.ts";

export const help = `tributary-sdk doctor [--page <url>]

Says on one screen what is wrong with an integration, and what to do next: whether the service is there, how far its
clock is from yours, whether the key is good, what the program lacks, when the last click, lead and sale came.

  --page <url>   a page of your site: whether the script's tag is on it, for this program and this service, and
                 whether the page's Content-Security-Policy blocks it. The page gets no key

Exit code 0 when nothing is wrong, 1 when something is (✗).`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = readFlags(args, { page: { type: "string" } }, 0);
  const output = createOutput(values.json === true);
  const page = readPage(values.page);
  const base = readAddress(values.url);

  const reach = await checkReach(base);
  const program: ProgramReport = reach.isReached ? await checkProgram(base) : { findings: [], code: exit.unreachable };
  const { readiness } = program;
  const isSeen = readiness?.gates.tracking?.status === "pass";
  const onPage = page === undefined ? [] : await checkPage(page, { base, programId: readiness?.program_id, isSeen });
  const findings = [...reach.findings, ...program.findings, ...onPage];
  const isGood = findings.every(({ status }) => status !== "fail");

  output.data({ url: base, ok: isGood, findings, readiness: readiness ?? null });
  output.say([bold(`Integration with ${base}`), "", ...findings.flatMap(inWords)].join("\n"));
  if (readiness) output.say(["", dim("Last real events"), ...lastEvents(readiness)].join("\n"));
  output.say(`\n${nextOf(findings)}`);
  return program.code ?? (isGood ? exit.good : exit.refused);
}

const marks = { pass: green("✓"), warn: yellow("!"), fail: red("✗") } as const;

const inWords = ({ name, status, message }: Finding): string => `${marks[status]} ${name.padEnd(8)} ${message}`;

function nextOf(findings: readonly Finding[]): string {
  const open = ["fail", "warn"].flatMap((status) => findings.filter((finding) => finding.status === status));
  const [first] = open.filter(({ next_action }) => next_action !== undefined);
  if (open.length === 0) return green("Nothing is wrong.");
  return first ? `Next (${first.name}): ${first.next_action}` : "Next: see the line that is marked.";
}
