import { type ExitCode, exit } from "./exit.ts";
import { readFlags } from "./flags.ts";
import { bold, createOutput, dim, green, red, yellow } from "./output.ts";
import { explainReason } from "./reasons.ts";
import { refused } from "./refused.ts";
import { connect } from "./service.ts";

interface Chain {
  readonly attributed: boolean;
  readonly customer_key: string;
  readonly steps: readonly Step[];
}
interface Step {
  readonly name: "click" | "lead" | "sale";
  readonly status: "pass" | "fail" | "skipped";
  readonly duration_ms: number;
  readonly message: string;
}

export const help = `tributary-sdk verify

Sends a click, a lead and a sale to the program's test book, through the same code as real calls, and explains the
result of each step or what to do. Real data isn't affected. At most ten runs an hour.

Exit code 0 only if all three were attributed to the partner.`;

const shows = {
  click: "A visit through a partner's link is recorded for that partner.",
  lead: "A sign-up with the visit's click id is attributed to the partner.",
  sale: "A payment by that customer earns the partner a commission.",
} as const;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = readFlags(args, {}, 0);
  const output = createOutput(values.json === true);
  const service = connect(values, output);
  const reply = await service.post("programs/me/verification", {});
  if (!reply.isReached || reply.status !== 200) return refused(output, reply);

  const chain = reply.body.data as Chain;
  output.data(reply.body);
  output.say(bold(`Verification of program ${service.programId}`));
  for (const step of chain.steps)
    output.say(`\n${mark(step)} ${step.name} ${dim(`${step.duration_ms} ms`)}\n  ${inWords(step)}`);
  output.say(
    chain.attributed
      ? `\n${green("Attributed.")} Clicks, leads and sales are credited to the right partner.`
      : `\n${red("Not attributed.")} Customer key of this run: ${chain.customer_key}`,
  );
  return chain.attributed ? exit.good : exit.refused;
}

const mark = ({ status }: Step): string =>
  status === "pass" ? green("✓") : status === "fail" ? red("✗") : yellow("–");

const inWords = ({ name, status, message }: Step): string =>
  status === "pass" ? shows[name] : `${message}: ${explainReason(message)}`;
