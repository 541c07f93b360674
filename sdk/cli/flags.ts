import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The command line is wrong: nothing was sent. */
export class UsageError extends Error {}

export const commonFlags = {
  url: { type: "string" },
  json: { type: "boolean" },
} as const satisfies ParseArgsOptionsConfig;

/** The flags of a command and those that all have. Throws a `UsageError`. */
export function readFlags<const Own extends ParseArgsOptionsConfig>(args: string[], own: Own, positionals: number) {
  const options = { ...commonFlags, ...own };
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true });
    const extra = parsed.positionals[positionals];
    if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`);
    return parsed;
  } catch (error) {
    throw error instanceof Error ? new UsageError(explain(error.message, Object.keys(options))) : error;
  }
}

function explain(message: string, known: readonly string[]): string {
  const unknown = /^Unknown option '--([^']*)'/.exec(message)?.[1];
  if (unknown === undefined) return message;
  if (unknown === "key")
    return "--key is no flag, because all users of a machine see arguments. Set TRIBUTARY_API_KEY.";
  const close = known.find((name) => distance(name, unknown) <= 2) ?? known.find((name) => name.startsWith(unknown));
  return `Unknown flag --${unknown}.${close === undefined ? "" : ` Did you mean --${close}?`}`;
}

/** How many letters to add, drop or change. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[j + 1], row[j], next[j]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The value of a flag that takes a number. Throws a `UsageError`. */
export function wholeNumber(name: string, text: string, min: number, max: number, why = ""): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}${why}.`);
}
