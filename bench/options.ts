import { readFlags } from "../scripts/command.ts";
import { type Kind, kinds } from "./calls.ts";

export interface Options {
  readonly only: readonly Kind[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly write: boolean;
  /** A commit to compare with. */
  readonly against?: string | undefined;
}

type Defaults = Omit<Options, "write" | "against">;

const [, triedIn] = process.argv.slice(process.argv.indexOf("--try"));

/**
 * With `--try dist`, the benchmark runs only once, with little data, and with the build in the folder `dist`. Its
 * figures mean nothing, so they are neither checked nor written.
 */
export const triedBuild = process.argv.includes("--try") ? triedIn : undefined;
export const unlessTried = <T>(usual: T, tried: T): T => (triedBuild === undefined ? usual : tried);

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const flags = {
  quick: flag,
  settled: flag,
  large: flag,
  tiers: flag,
  starts: flag,
  write: flag,
  only: text,
  connections: text,
  rounds: text,
  seconds: text,
  against: text,
  try: text,
};
const placeholders: Readonly<Record<string, string>> = {
  only: " <calls>",
  connections: " <numbers>",
  rounds: " <n>",
  seconds: " <n>",
  against: " <commit>",
  try: " <folder>",
};

interface More {
  /** The defaults of a comparison with a commit, for the benchmark that can compare. */
  readonly against?: Partial<Defaults>;
  /** Flags of this benchmark alone. */
  readonly modes?: readonly ("settled" | "large" | "tiers" | "starts")[];
}

/** An unknown flag, or one of another benchmark, ends the process with the usage text. */
export function readOptions(usual: Defaults, quick: Partial<Defaults>, { against, modes = [] }: More = {}): Options {
  const own: readonly string[] = [
    "quick",
    ...modes,
    "write",
    ...(usual.only.length > 0 ? ["only"] : []),
    ...(usual.connections.length > 0 ? ["connections"] : []),
    "rounds",
    "seconds",
    ...(against === undefined ? [] : ["against"]),
    "try",
  ];
  const usage = `Flags: ${own.map((name) => `--${name}${placeholders[name] ?? ""}`).join(", ")}`;
  const values = readFlags(usage, flags);
  const refuse = (reason: string): never => {
    console.error(`${reason}\n${usage}`);
    process.exit(2);
  };
  const foreign = Object.entries(values).find(([name, value]) => Boolean(value) && !own.includes(name));
  if (foreign !== undefined) refuse(`--${foreign[0]} is a flag of another benchmark`);
  const defaults = {
    ...usual,
    ...(values.against === undefined ? {} : against),
    ...(values.quick ? quick : {}),
    ...unlessTried({}, { connections: usual.connections.slice(0, 1), rounds: 1, seconds: 0.1 }),
  };
  return {
    only: pick(values.only, kinds, refuse) ?? defaults.only,
    connections: values.connections?.split(",").map((each) => number(each, refuse)) ?? defaults.connections,
    rounds: values.rounds === undefined ? defaults.rounds : number(values.rounds, refuse),
    seconds: values.seconds === undefined ? defaults.seconds : number(values.seconds, refuse),
    write: values.write,
    against: values.against,
  };
}

type Refuse = (reason: string) => never;

function pick<T extends string>(
  text: string | undefined,
  known: readonly T[],
  refuse: Refuse,
): readonly T[] | undefined {
  return text?.split(",").map((each) => {
    const found = known.find((name) => name === each);
    if (found === undefined) refuse(`${each} is none of ${known.join(", ")}`);
    return found;
  });
}

function number(text: string, refuse: Refuse): number {
  const value = Number(text);
  if (!(value > 0)) refuse(`${text} is not a number above 0`);
  return value;
}
