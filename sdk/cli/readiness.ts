import { setTimeout as delay } from "node:timers/promises";
import { type ExitCode, exit } from "./exit.ts";
import { readFlags } from "./flags.ts";
import { actionInWords, lastEvents, lastReconciliation, type Readiness, stateInWords } from "./gates.ts";
import { bold, createOutput, dim, green, red, yellow } from "./output.ts";
import { isTakenUp, refused } from "./refused.ts";
import { connect } from "./service.ts";

export const help = `tributary-sdk readiness [--watch]

Shows how far the program is from paying its partners: its state, what each gate requires, and the last real events.

  --watch    repeats every few seconds, until a real sale was attributed (live_verified) or Ctrl-C

Exit code 0 if every gate passes, 1 if one does not.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = readFlags(args, { watch: { type: "boolean" } }, 0);
  const output = createOutput(values.json === true);
  const service = connect(values, output);

  let shown = "";
  let pauseSeconds = 5;
  for (;;) {
    const reply = await service.get("programs/me/readiness");
    if (reply.isReached && reply.status === 200) {
      const readiness = reply.body as unknown as Readiness;
      output.data(reply.body);
      const text = inWords(readiness);
      // A terminal is redrawn each time. Any other output gets changes only.
      if (values.watch) output.clear();
      if (process.stdout.isTTY || text !== shown) output.say(text);
      shown = text;
      if (!values.watch || readiness.state === "live_verified")
        return readiness.blocker === null ? exit.good : exit.refused;
      pauseSeconds = readiness.poll.retry_after_seconds;
    } else {
      if (!values.watch || (reply.isReached && isTakenUp(reply))) return refused(output, reply);
      refused(output, reply);
      if (reply.isReached) pauseSeconds = reply.retryAfterSeconds ?? pauseSeconds;
    }
    await delay(pauseSeconds * 1_000);
  }
}

function inWords(readiness: Readiness): string {
  const { program_id, state, gates } = readiness;
  const gateLines = Object.entries(gates).flatMap(([name, gate]) => {
    const mark = gate.status === "pass" ? green("✓") : gate.status === "fail" ? red("✗") : yellow("?");
    const action = actionInWords(gate);
    return [`  ${mark} ${name}`, ...(action === undefined ? [] : [`      ${action}`])];
  });
  return [
    `${bold(`Program ${program_id}: ${state}`)}\n${stateInWords(readiness)}\n`,
    ...gateLines,
    `\n${dim("Last real events")}`,
    ...lastEvents(readiness),
    `\n${dim("Last comparison with the payment processor")}`,
    lastReconciliation(readiness),
  ].join("\n");
}
