import { durationOf } from "./duration.ts";
import { type ExitCode, exit } from "./exit.ts";
import { readFlags, UsageError } from "./flags.ts";
import { columns, count, time } from "./format.ts";
import { createOutput, green, red, yellow } from "./output.ts";
import { refused } from "./refused.ts";
import { connect, type Members } from "./service.ts";

/** The query parameter for each flag. */
const parameters = {
  request: "request_id",
  transaction: "transaction_id",
  customer: "customer_key",
  outcome: "outcome",
} as const;
type Flag = keyof typeof parameters;
const flagNames = Object.keys(parameters) as Flag[];

const events = ["click", "lead", "sale", "refund"] as const;

export const help = `tributary-sdk requests [--transaction <id>] [--outcome <outcome>] [--since 1h]

Shows the newest 50 tracking calls of the last seven days and their responses, the newest first. A call appears some
seconds after its response. A call is shown if it matches all filters given:

  --request <id>       the X-Request-Id of a response
  --transaction <id>   your id of the payment
  --customer <key>     your key of the customer
  --event <event>      ${events.join(", ")}
  --outcome <outcome>  recorded, duplicate, conflict, unattributed, refused or unavailable
  --since <duration>   calls of the last 30s, 15m, 1h or 7d

Times are UTC. Test calls have the mark "test". The key needs the scope read.

Exit code 0 if a call is found, 1 otherwise.`;

interface LoggedRequest {
  readonly request_id: string;
  readonly at: string;
  readonly route: string;
  readonly key_name?: string;
  readonly status: number;
  readonly code: string | null;
  readonly outcome: string;
  readonly transaction_id?: string;
  readonly test_mode: boolean;
}

interface Requests extends Members {
  readonly data: readonly LoggedRequest[];
  readonly meta: { readonly next_cursor: string | null; readonly dropped: number };
}

export async function run(args: string[]): Promise<ExitCode> {
  const text = { type: "string" } as const;
  const own = { request: text, transaction: text, customer: text, event: text, outcome: text, since: text };
  const { values } = readFlags(args, own, 0);
  const query = queryOf(values);
  const output = createOutput(values.json === true);
  const service = connect(values, output);
  const reply = await service.get(`programs/me/requests?${query}`);
  if (!reply.isReached || reply.status !== 200) return refused(output, reply, flagOf);
  const { data, meta } = reply.body as Requests;
  output.data(reply.body);
  output.say(data.length === 0 ? "No such call arrived in the last seven days." : linesOf(data).join("\n"));
  if (meta.next_cursor !== null) output.note(`Only the newest ${data.length} are shown. Filter for fewer.`);
  if (meta.dropped > 0) output.note(`${count(meta.dropped, "call")} of the last seven days could not be kept.`);
  return data.length === 0 ? exit.refused : exit.good;
}

type Values = Readonly<Partial<Record<Flag | "event" | "since", string | undefined>>>;

function queryOf(values: Values): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of flagNames) {
    const value = values[name];
    if (value !== undefined) query.set(parameters[name], value);
  }
  const { event, since } = values;
  if (event !== undefined && !events.some((each) => each === event)) {
    throw new UsageError(`--event must be one of ${events.join(", ")}.`);
  }
  if (event !== undefined) query.set("route", `/api/v1/track/${event}`);
  if (since !== undefined) query.set("from", new Date(Date.now() - durationOf(since)).toISOString());
  return query;
}

const flagOf = (parameter: string): string =>
  `--${flagNames.find((name) => parameters[name] === parameter) ?? parameter}`;

const marks: Readonly<Record<string, string>> = {
  recorded: green("✓"),
  duplicate: green("✓"),
  unattributed: yellow("!"),
};

const linesOf = (calls: readonly LoggedRequest[]): readonly string[] =>
  columns(
    calls.map((call) => [
      time(call.at),
      call.route.slice(call.route.lastIndexOf("/") + 1),
      String(call.status),
      call.outcome,
      [...(call.test_mode ? ["test"] : []), call.transaction_id, call.code, call.key_name ?? "no key"]
        .filter(Boolean)
        .join(", "),
      call.request_id,
    ]),
  ).map((line, i) => `${marks[calls[i]?.outcome ?? ""] ?? red("✗")} ${line}`);
