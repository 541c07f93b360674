import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { nearest } from "./nearest.ts";

/** Thrown if the command line is wrong and nothing was sent. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const commonFlags = {
  url: { type: "string" },
  json: { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

/** Parses the flags of a command and the common ones. Throws a `UsageError`. */
export const readFlags = <const Own extends ParseArgsOptionsConfig>(args: string[], own: Own, positionals: number) =>
  parseFlags(args, { ...commonFlags, ...own }, positionals);

/** Parses flags. Throws a `UsageError`. */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(
  args: string[],
  options: Options,
  positionals = Number.POSITIVE_INFINITY,
) {
  try {
    const parsed = parseArgs({ args: withNegatives(args), options, allowPositionals: true });
    const extra = parsed.positionals[positionals];
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
    return parsed;
  } catch (error) {
    throw error instanceof Error ? new UsageError(explain(error.message, Object.keys(options))) : error;
  }
}

/** Rewrites `--amount -5` as `--amount=-5`, because the check of the value has a better message than the parser. */
const withNegatives = (args: readonly string[]): string[] =>
  args.flatMap((arg, i) => {
    if (isNegativeOf(args[i - 1], arg)) return [];
    return [isNegativeOf(arg, args[i + 1]) ? `${arg}=${args[i + 1]}` : arg];
  });

const isNegativeOf = (flag = "", value = ""): boolean => /^--[\w-]+$/.test(flag) && /^-\d/.test(value);

function explain(message: string, known: readonly string[]): string {
  const unknown = /^Unknown option '--([^']*)'/.exec(message)?.[1];
  if (unknown === "key")
    return "--key is not supported, because all users of a machine can see arguments. Set TRIBUTARY_API_KEY.";
  if (unknown !== undefined) {
    const meant = nearest(unknown, known) ?? known.find((flag) => unknown.startsWith(`${flag}-`));
    return `Unknown flag --${unknown}.${meant === undefined ? "" : ` Did you mean --${meant}?`}`;
  }
  const [, flag, fault] = /^Option '(--[\w-]+)[^']*' (.*)/.exec(message) ?? [];
  if (fault?.startsWith("argument is ambiguous")) return `${flag} needs a value. If it starts with -, write ${flag}=-…`;
  if (fault?.startsWith("argument missing")) return `${flag} needs a value.`;
  if (fault?.startsWith("does not take")) return `${flag} takes no value.`;
  return message;
}

/** The value of a flag that takes a number. Throws a `UsageError`. */
export function wholeNumber(name: string, text: string, min: number, max: number, why = ""): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}${why}.`);
}
