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

Shows the problems of an integration on one screen, and what to do next. It checks that the service answers, that its
clock agrees with yours, that the key may report events and the program is set up, and shows the last click, lead and
sale. A key without the scope read leaves out the program; a refund that names no sale shows whether it has track.

  --page <url>   a page of your site: checks that it has the script's tag, for this program and this service, and that
                 its Content-Security-Policy doesn't block the script. The page doesn't receive the key

Exit code 0 if no problem was found, 1 otherwise (✗).`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = readFlags(args, { page: { type: "string" } }, 0);
  const output = createOutput(values.json === true);
  const page = readPage(values.page);
  const base = readAddress(values.url);

  const reach = await checkReach(base);
  const program: ProgramReport = reach.isReached ? await checkProgram(base) : { findings: [], code: exit.unreachable };
  const { programId, readiness } = program;
  const isSeen = readiness?.gates.tracking?.status === "pass";
  const onPage = page === undefined ? [] : await checkPage(page, { base, programId, isSeen });
  const findings = [...reach.findings, ...program.findings, ...onPage];
  const isGood = findings.every(({ status }) => status !== "fail");

  output.data({ url: base, ok: isGood, findings, readiness: readiness ?? null });
  output.say([bold(`Integration with ${base}`), "", ...findings.flatMap(inWords)].join("\n"));
  if (readiness) output.say(["", dim("Last real events"), ...lastEvents(readiness)].join("\n"));
  output.say(`\n${nextOf(findings)}`);
  if (readiness) output.say(dim("Which calls arrived, and their responses: tributary-sdk requests"));
  return program.code ?? (isGood ? exit.good : exit.refused);
}

const marks = { pass: green("✓"), warn: yellow("!"), fail: red("✗") } as const;

const inWords = ({ name, status, message }: Finding): string => `${marks[status]} ${name.padEnd(8)} ${message}`;

function nextOf(findings: readonly Finding[]): string {
  const open = ["fail", "warn"].flatMap((status) => findings.filter((finding) => finding.status === status));
  const [first] = open.filter(({ next_action }) => next_action !== undefined);
  if (open.length === 0) return green("No problems found.");
  return first ? `Next (${first.name}): ${first.next_action}` : "Next: see the marked line.";
}
