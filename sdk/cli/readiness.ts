import { setTimeout as delay } from "node:timers/promises";
import { type ExitCode, exit } from "./exit.ts";
import { readFlags } from "./flags.ts";
import { bold, createOutput, dim, green, red, yellow } from "./output.ts";
import { isTakenUp, refused } from "./refused.ts";
import { connect } from "./service.ts";

interface Readiness {
  readonly program_id: number;
  readonly state: keyof typeof states;
  readonly blocker: string | null;
  readonly gates: Readonly<Record<string, Gate>>;
  readonly last_event_at: Readonly<Record<"click" | "lead" | "sale", string | null>>;
  readonly counts_24h: Readonly<Record<"clicks" | "leads" | "sales", number>>;
  readonly poll: { readonly retry_after_seconds: number };
}
interface Gate {
  readonly status: "pass" | "fail" | "unknown";
  readonly next_action?: string;
}

export const help = `tributary-sdk readiness [--watch]

Says how far the program is from paying its partners: its state, what each gate asks for, the last real events.

  --watch    looks again every few seconds, until a real sale was attributed (live_verified) or Ctrl-C

Exit code 0 when every gate passes, 1 when one does not.`;

const states = {
  draft: "The program's profile is not complete.",
  configuring: "Something is still to be set up.",
  ready: "Everything is set up. A verification or a real sale is still to show that it works.",
  integration_verified: "The verification chain was attributed. The first real sale is still to come.",
  live_verified: "A real sale was attributed to a partner.",
} as const;

const actions: Readonly<Record<string, string>> = {
  complete_program_profile: "Give the program a name and a website under its settings.",
  set_commission_policy: "Set a commission policy under the program's settings.",
  set_payout_mode: "Choose a payout mode under the program's settings.",
  install_tracker_or_send_events:
    "Put the script tag on your site and visit it with ?aff=<a partner's code>, or send a click.",
  run_synthetic_sale_chain: "Run: tributary-sdk verify",
};

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
      // A screen is drawn anew each time; anything else gets what is new.
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

function inWords({ program_id, state, gates, last_event_at: last, counts_24h: counts }: Readiness): string {
  const gateLines = Object.entries(gates).flatMap(([name, { status, next_action: action }]) => {
    const mark = status === "pass" ? green("✓") : status === "fail" ? red("✗") : yellow("?");
    return [`  ${mark} ${name}`, ...(action === undefined ? [] : [`      ${actions[action] ?? action}`])];
  });
  const event = (name: "click" | "lead" | "sale", count: number) =>
    `  ${name.padEnd(6)} ${(last[name] ?? "never").padEnd(26)} ${count} in 24 hours`;
  return [
    `${bold(`Program ${program_id}: ${state}`)}\n${states[state] ?? ""}\n`,
    ...gateLines,
    `\n${dim("Last real events")}`,
    event("click", counts.clicks),
    event("lead", counts.leads),
    event("sale", counts.sales),
  ].join("\n");
}
