import { randomUUID } from "node:crypto";
import type { ParseArgsOptionsConfig } from "node:util";
import { type ExitCode, exit } from "./exit.ts";
import { readFlags, UsageError, wholeNumber } from "./flags.ts";
import { createOutput, dim, green, type Output, yellow } from "./output.ts";
import { explainReason } from "./reasons.ts";
import { errorOf, refused } from "./refused.ts";
import { type Answer, connect, type Members } from "./service.ts";
import { type Flag, flagsOf, type Kind, ofEveryCall, type Takes, wireFields } from "./wire.ts";

const values: { readonly [takes in Takes]?: string } = { nothing: "", texts: " <text> (repeat it for more)" };

const flagLines = (Object.keys(wireFields) as Kind[]).map((kind) => {
  const own = flagsOf(kind).filter(({ field }) => !(field in ofEveryCall));
  const lines = own.map(({ flag, takes }) => `--${flag}${values[takes] ?? ` <${takes}>`}`);
  return `  ${kind.padEnd(8)} ${lines.join("\n           ")}`;
});

export const help = `tributary-sdk send click|lead|sale|refund [flags]

Sends one event and shows the result. It goes to the program's test book, which doesn't affect real data, unless you
pass --live. In test mode most fields are optional, and a sale without --transaction-id gets a random one. Amounts are
in the currency's smallest unit: 4900 is 49.00 EUR.

${flagLines.join("\n")}
  all      --occurred-at <ISO 8601 with an offset>
           --additional-data <json>
           --live

Exit code 0 if it is recorded, or was recorded before; 1 if it is refused.`;

export async function run(args: string[]): Promise<ExitCode> {
  const [kind = "", ...rest] = args;
  if (!isKind(kind)) throw new UsageError(`Name the event to send: ${Object.keys(wireFields).join(", ")}.`);
  const known = flagsOf(kind);
  const flags: ParseArgsOptionsConfig = Object.fromEntries(
    known.map(({ flag, takes }) => [
      flag,
      { type: takes === "nothing" ? "boolean" : "string", multiple: takes === "texts" },
    ]),
  );
  const { values } = readFlags(rest, { ...flags, live: { type: "boolean" } }, 0);
  const { url, json, live } = values as { url?: string; json?: boolean; live?: boolean };
  const output = createOutput(json === true);
  const given = bodyOf(known, values);
  const service = connect({ url }, output);

  const body = withDefaults(kind, service.programId, given, live === true);
  const reply = await service.post(`track/${kind}`, body);
  const isRepeat = reply.isReached && kind === "sale" && reply.status === 409;
  if (!reply.isReached || (reply.status !== 200 && !isRepeat)) {
    return refused(output, reply, (field) => `--${known.find((each) => each.field === field)?.flag ?? field}`);
  }
  output.data(reply.body);
  return isRepeat ? sayRepeat(output, reply) : say[kind](output, reply.body, live ? "" : "Test ");
}

const isKind = (text: string): text is Kind => Object.hasOwn(wireFields, text);

function bodyOf(known: readonly Flag[], values: Readonly<Record<string, unknown>>): Members {
  const given = known.filter(({ flag }) => values[flag] !== undefined);
  return Object.fromEntries(given.map(({ flag, field, takes }) => [field, held(flag, values[flag], takes)]));
}

function held(flag: string, value: unknown, takes: Takes): unknown {
  if (takes === "amount" || takes === "total") {
    // The total of a canceled refund may be 0.
    return wholeNumber(flag, String(value), takes === "total" ? 0 : 1, 1e11, ", in the currency's smallest unit");
  }
  if (takes !== "json") return value;
  try {
    return JSON.parse(String(value));
  } catch {
    throw new UsageError(`--${flag} must be JSON.`);
  }
}

function withDefaults(kind: Kind, programId: number, body: Members, isLive: boolean): Members {
  const own = kind === "click" ? { program_id: programId, event_id: randomUUID() } : {};
  const ofTestSale = kind === "sale" && !isLive ? { transaction_id: `test_sale_${randomUUID()}` } : {};
  const { additional_data: data } = body;
  if (isLive && Object(data).test_mode) throw new UsageError("--additional-data has test_mode: omit --live.");
  return { ...own, ...ofTestSale, ...body, ...(!isLive && { additional_data: { ...Object(data), test_mode: true } }) };
}

type Say = (output: Output, answer: Members, book: string) => ExitCode;

const say: Readonly<Record<Kind, Say>> = {
  click(output, answer, book) {
    if (answer.success === false) {
      output.note(`${yellow("–")} Nothing was recorded. ${answer.message}: ${explainReason(answer.message)}`);
      return exit.refused;
    }
    const { partner_code: partner, click_id: clickId, cookie_window_days: days } = answer;
    return recorded(output, `${book}click recorded ${partner ? `for partner ${partner}` : "for no partner"}.`, [
      `Click id, good for ${days} days: ${clickId}`,
      dim(`Next: tributary-sdk send lead --click-id ${clickId} --customer-key …${book ? "" : " --live"}`),
    ]);
  },
  lead(output, { lead_id: id, partner_code: partner, ...answer }, book) {
    const owner = answer.attributed
      ? `The customer belongs to partner ${partner}.`
      : `The customer belongs to no partner (${answer.reason}). ${explainReason(answer.reason)}`;
    return recorded(
      output,
      `${book}lead ${answer.duplicate ? "was already recorded, nothing changed" : "recorded"}: lead ${id}.`,
      [
        owner,
        ...(answer.moved ? ["A newer click moved the customer to this partner."] : []),
        ...(answer.attributed_sales ? ["Their earlier sales are now attributed too."] : []),
      ],
    );
  },
  sale(output, answer, book) {
    return recorded(output, `${book}sale recorded: sale ${answer.sale_id}, commission ${answer.commission_id}.`, [
      commissionInWords(answer),
    ]);
  },
  refund(output, answer, book) {
    const { status, reason, refunded_cents: cents, refunded_total_cents: total } = answer;
    const { commission_reversed_cents: reversed, commission_amount_cents: left, sale_id: sale } = answer;
    if (status === "skipped") {
      return recorded(output, `${book}refund changed nothing: ${reason}.`, [
        `${total} of sale ${sale} refunded so far (smallest units).`,
      ]);
    }
    if (status === "restored") {
      return recorded(output, `${book}refund canceled; ${total} of sale ${sale} still refunded (smallest units).`, [
        reason === undefined
          ? `${-Number(reversed)} was restored to its commission, which is now ${left}.`
          : explainReason(reason),
      ]);
    }
    return recorded(
      output,
      `${book}refund of ${cents} recorded; ${total} of sale ${sale} refunded so far (smallest units).`,
      [
        status === "no_commission"
          ? "The sale has no commission to reverse."
          : `${reversed} of its commission was reversed, ${left} is left.`,
      ],
    );
  },
};

function recorded(output: Output, first: string, rest: readonly string[]): ExitCode {
  output.say(
    [`${green("✓")} ${first.charAt(0).toUpperCase()}${first.slice(1)}`, ...rest.map((line) => `  ${line}`)].join("\n"),
  );
  return exit.good;
}

interface Commission {
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: string;
  readonly hold_until: string | null;
  readonly reason?: string;
}

function commissionInWords({ attributed, partner_code: partner, ...answer }: Members): string {
  const { amount_cents: amount, currency, status, hold_until: until, reason } = answer.commission as Commission;
  const why = answer.reason ?? reason;
  if (!attributed) return `It isn't attributed to a partner (${why}). ${explainReason(why)}`;
  if (status === "void") return `Partner ${partner} earns nothing (${why}). ${explainReason(why)}`;
  const held = status === "pending" && until ? `, on hold until ${until}` : "";
  return `Partner ${partner} earns ${amount} in the smallest unit of ${currency}: ${status}${held}.`;
}

function sayRepeat(output: Output, reply: Answer): ExitCode {
  const details = errorOf(reply).details as Members & { readonly differences: readonly string[] };
  const record = `sale ${details.sale_id}, commission ${details.commission_id}`;
  if (details.same_request) {
    return recorded(output, `already recorded, not counted again: ${record}.`, [commissionInWords(details)]);
  }
  output.note(
    `${yellow("–")} This transaction was already recorded with a different ${details.differences.join(", ")}: ${record}. The first call is kept.`,
  );
  return exit.refused;
}
