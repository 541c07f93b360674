import { durationOf } from "../duration.ts";
import { type ExitCode, exit } from "../exit.ts";
import { readFlags, UsageError } from "../flags.ts";
import { createOutput, hide, type Output } from "../output.ts";
import { errorOf, keyLimitOf, keyRemedies, refused } from "../refused.ts";
import { connect, type Reply } from "../service.ts";
import { type Api, ApiError, openApi } from "./api.ts";
import { apply } from "./apply.ts";
import { type Comparing, compare, type Findings } from "./compare.ts";
import { lemonSqueezy } from "./lemon-squeezy.ts";
import { oursIn, Refused } from "./ours.ts";
import { paddle } from "./paddle.ts";
import { polar } from "./polar.ts";
import type { Period, Processor } from "./source.ts";
import { stripe } from "./stripe.ts";
import { inWords } from "./words.ts";

const processors: Readonly<Record<string, Processor>> = { stripe, paddle, "lemon-squeezy": lemonSqueezy, polar };

const keyNames = Object.entries(processors).map(([name, { keyName }]) => `  ${name.padEnd(15)}${keyName}`);

export const help = `tributary-sdk reconcile ${Object.keys(processors).join("|")} [flags]

Compares the payments of a period at your processor, with their refunds until today, with the recorded sales. It reads
the processor's API on this machine, with your own key, which it sends to the processor alone, and computes each sale
as the webhook's helper does. It prints:

  matched      payments that are recorded as they are
  missing      payments that aren't recorded, although they name a customer
  unexpected   recorded sales with an id of the processor that it has no payment for, also payments under a second id
  differs      recorded sales whose amount, currency or refunds differ

  --since <duration>      compares the last 30d (default), 12h, 400d; the last ten minutes are left out
  --apply                 sends what is missing, and refunds that differ, as the helper does; safe to repeat
  --include <parts>       Stripe: tax, shipping or tax,shipping, as your webhook's include
  --refund-events <kind>  Stripe: refund.* (default) or charge.refunded, as your webhook's refundEvents
  --sandbox               Paddle and Polar: the sandbox, compared with the test book
  --api <url>             the address of the processor's API

The processor's key is read from the environment:

${keyNames.join("\n")}

A test key of Stripe or Lemon Squeezy, and the sandbox, are compared with the test book. The program key needs the scope
read, with --apply also track. With track, it also reports the counts of live payments, which Setup shows.

Exit code 0 if all match, 1 if something is missing, unexpected or differs.`;

const stripeFlags = { include: { type: "string" }, "refund-events": { type: "string" } } as const;

export async function run(args: string[]): Promise<ExitCode> {
  const text = { type: "string" } as const;
  const own = { since: text, apply: { type: "boolean" }, sandbox: { type: "boolean" }, api: text } as const;
  const { values, positionals } = readFlags(args, { ...own, ...stripeFlags }, 1);
  const [name = ""] = positionals;
  const processor = Object.hasOwn(processors, name) ? processors[name] : undefined;
  if (!processor) throw new UsageError(`Name the processor: ${Object.keys(processors).join(", ")}.`);
  const options = optionsOf(name, processor, values);
  const output = createOutput(values.json === true);
  const key = process.env[processor.keyName] ?? "";
  if (key === "") throw new UsageError(`No key of ${processor.title}. Set ${processor.keyName}.`);
  hide(key);
  const api = openApi({
    name: processor.title,
    base: options.base,
    headers: { authorization: `Bearer ${key}`, ...processor.headers },
    onPause: (ms, why) => output.note(`Waiting ${Math.ceil(ms / 1_000)} s. ${why}`),
  });
  const service = connect(values, output);
  try {
    const isTest = await isTestKey(processor, { key, api, isSandbox: values.sandbox === true });
    const comparing: Comparing = {
      processor,
      source: processor.open({ api, isTest, ...options, note: (remark) => output.note(remark) }),
      ours: oursIn(service, isTest),
      programId: service.programId,
      period: options.period,
      onRead: (payments) => {
        if (payments % 1_000 === 0) output.note(`${payments} payments compared.`);
      },
    };
    const found = await compare(comparing);
    const onSent = (sent: number, all: number) => {
      if (sent % 100 === 0) output.note(`${sent} of ${all} sent.`);
    };
    const left = values.apply ? await apply({ ...comparing, url: service.url, onSent }, found) : found;
    return await tell(output, { name, isTest, ...comparing }, left);
  } catch (error) {
    return failed(output, error);
  }
}

interface Values {
  readonly since?: string | undefined;
  readonly sandbox?: boolean | undefined;
  readonly api?: string | undefined;
  readonly include?: string | undefined;
  readonly "refund-events"?: string | undefined;
}

/** Webhooks of the last ten minutes may not have been delivered yet. */
const underwayMs = 600_000;

function optionsOf(name: string, processor: Processor, values: Values) {
  const { since = "30d", sandbox = false, api, include = "", "refund-events": refundEvents = "refund.*" } = values;
  const ofStripe = Object.keys(stripeFlags).find((flag) => values[flag as keyof typeof stripeFlags] !== undefined);
  if (ofStripe !== undefined && name !== "stripe") throw new UsageError(`--${ofStripe} is only for stripe.`);
  if (sandbox && processor.sandboxAddress === undefined) {
    throw new UsageError(`--sandbox isn't for ${name}: pass a key of its test mode.`);
  }
  const parts = include.split(",").filter(Boolean);
  if (!parts.every(isExtra)) throw new UsageError("--include must be tax, shipping or tax,shipping.");
  if (refundEvents !== "refund.*" && refundEvents !== "charge.refunded") {
    throw new UsageError("--refund-events must be refund.* or charge.refunded.");
  }
  const to = Date.now() - underwayMs;
  const from = to - durationOf(since);
  const address = api ?? (sandbox && processor.sandboxAddress ? processor.sandboxAddress : processor.address);
  if (!URL.canParse(address)) throw new UsageError("--api must be an address: https://api.stripe.com");
  return {
    base: address.replace(/\/*$/, "/"),
    period: { from, to },
    include: parts.filter(isExtra),
    refundEvents,
  } as const;
}

const isExtra = (part: string): part is "tax" | "shipping" => part === "tax" || part === "shipping";

async function isTestKey(
  processor: Processor,
  { key, api, isSandbox }: { readonly key: string; readonly api: Api; readonly isSandbox: boolean },
): Promise<boolean> {
  return isSandbox || ((await processor.isTestKey?.(key, api)) ?? false);
}

interface Compared {
  readonly name: string;
  readonly isTest: boolean;
  readonly period: Period;
  readonly ours: Comparing["ours"];
}

/** Prints the findings, and reports the counts of live payments. */
async function tell(output: Output, compared: Compared, findings: Findings): Promise<ExitCode> {
  const { name, isTest, period, ours } = compared;
  const { matched, missing, unexpected, differs } = findings;
  const span = { from: new Date(period.from).toISOString(), to: new Date(period.to).toISOString() };
  output.say(inWords(findings, { ...span, isTest }));
  output.data({ processor: name, ...span, test_mode: isTest, ...findings });
  if (!isTest) {
    const counts = { missing: missing.length, unexpected: unexpected.length, differs: differs.length };
    const refusal = await ours.report({ processor: name, ...span, matched, ...counts });
    if (refusal) output.note(`The counts weren't reported. ${reasonOf(refusal)}`);
  }
  return missing.length + unexpected.length + differs.length === 0 ? exit.good : exit.refused;
}

function reasonOf(reply: Reply): string {
  if (!reply.isReached) return reply.message;
  const limit = keyLimitOf(reply);
  return [errorOf(reply).message, limit && keyRemedies[limit]].filter(Boolean).join(" ");
}

function failed(output: Output, error: unknown): ExitCode {
  if (error instanceof Refused) return refused(output, error.reply);
  if (!(error instanceof ApiError)) throw error;
  output.data({ error: { name: "ProcessorError", message: error.message } });
  output.note(error.message);
  const isRefusal = error.statusCode !== undefined && error.statusCode < 500 && error.statusCode !== 429;
  return isRefusal ? exit.refused : exit.unreachable;
}
