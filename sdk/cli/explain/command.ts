import { type ExitCode, exit } from "../exit.ts";
import { readFlags, UsageError } from "../flags.ts";
import { createOutput, dim } from "../output.ts";
import { refused } from "../refused.ts";
import { connect } from "../service.ts";
import type { Explanation } from "./reply.ts";
import { sections } from "./sections.ts";
import { timeline } from "./timeline.ts";

/** The query parameter for each flag. */
const subjects = {
  transaction: "transaction_id",
  customer: "customer_key",
  click: "click_id",
  lead: "lead_id",
  sale: "sale_id",
  commission: "commission_id",
} as const;
const parameters = { ...subjects, refund: "refund_id" } as const;
type Flag = keyof typeof parameters;

const flagNames = Object.keys(parameters) as Flag[];
const subjectNames = Object.keys(subjects) as (keyof typeof subjects)[];

export const help = `tributary-sdk explain --transaction <id> [--refund <id>] [--test]

Tells who earned a commission and why, or what would have been needed: the clicks and what came of each, the
arithmetic, the ledger entries and the events. Shows every decision as it was made. Name exactly one:

  --transaction <id>   a sale, by your id
  --customer <key>     a customer with all their sales
  --click <id>         a click: whether it brought a customer, or what it lost to
  --lead <id>          a sign-up
  --sale <id>          a sale, by the service's id
  --commission <id>    a commission, by its id in lists and exports

  --refund <id>        with --transaction: what this refund took
  --test               looks in the test book

Times are UTC. With --json, a chain of more than 100 events is several lines, 100 events each.

Exit code 0 if it is found, even if no partner earned; 1 otherwise.`;

export async function run(args: string[]): Promise<ExitCode> {
  const text = { type: "string" } as const;
  const own = { transaction: text, customer: text, click: text, lead: text, sale: text, commission: text };
  const { values } = readFlags(args, { ...own, refund: text, test: { type: "boolean" } }, 0);
  checkSubject(values);
  const output = createOutput(values.json === true);
  const service = connect(values, output);

  let cursor: string | null = "";
  do {
    const reply = await service.get(`programs/me/explain?${queryOf(values, cursor)}`);
    if (!reply.isReached || reply.status !== 200) {
      const code = refused(output, reply, flagOf);
      if (reply.isReached && reply.status === 404) output.note(`  ${lookedFor(values)}`);
      return code;
    }
    const page = reply.body as Explanation;
    output.data(page);
    if (cursor === "") output.say(`${sections(page)}\n\n${dim("Events (UTC)")}`);
    output.say(
      timeline(page.events)
        .map((line) => `  ${line}`)
        .join("\n"),
    );
    cursor = page.next_cursor;
  } while (cursor !== null);
  return exit.good;
}

type Values = Readonly<Partial<Record<Flag, string>>> & { readonly test?: boolean };

function checkSubject(values: Values): void {
  if (subjectNames.filter((name) => values[name] !== undefined).length !== 1) {
    throw new UsageError(`Name exactly one of ${subjectNames.map((name) => `--${name}`).join(", ")}.`);
  }
  if (values.refund !== undefined && values.transaction === undefined) {
    throw new UsageError("--refund needs --transaction.");
  }
}

const givenBy = (values: Values): [Flag, string][] =>
  flagNames.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));

function queryOf(values: Values, cursor: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of givenBy(values)) query.set(parameters[name], value);
  if (values.test) query.set("test_mode", "true");
  if (cursor !== "") query.set("cursor", cursor);
  return query.toString();
}

const flagOf = (parameter: string): string =>
  `--${flagNames.find((name) => parameters[name] === parameter) ?? parameter}`;

function lookedFor(values: Values): string {
  const given = givenBy(values).map(([name, value]) => `--${name} ${value}`);
  const books = values.test
    ? "the test book. Omit --test to look in the live book."
    : "the live book. Add --test to look in the test book.";
  return `Looked for ${given.join(" ")} in ${books}`;
}
