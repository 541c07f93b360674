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
 * `--try dist`: the benchmark runs through once, with little, and with the build in this folder. Its figures say nothing, so none is
 * judged or written.
 */
export const triedBuild = process.argv.includes("--try") ? triedIn : undefined;
export const unlessTried = <T>(usual: T, tried: T): T => (triedBuild === undefined ? usual : tried);

const usage =
  "Flags: --quick, --settled, --tiers, --write, --only <calls>, --connections <numbers>, --rounds <n>, --seconds <n>, --against <commit>, --try <folder>";

export function readOptions(usual: Defaults, quick: Partial<Defaults>, against: Partial<Defaults> = {}): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const values = readFlags(usage, {
    quick: flag,
    settled: flag,
    tiers: flag,
    write: flag,
    only: text,
    connections: text,
    rounds: text,
    seconds: text,
    against: text,
    try: text,
  });
  const defaults = {
    ...usual,
    ...(values.against === undefined ? {} : against),
    ...(values.quick ? quick : {}),
    ...unlessTried({}, { connections: usual.connections.slice(0, 1), rounds: 1, seconds: 0.1 }),
  };
  return {
    only: pick(values.only, kinds) ?? defaults.only,
    connections: values.connections?.split(",").map((each) => number(each)) ?? defaults.connections,
    rounds: values.rounds === undefined ? defaults.rounds : number(values.rounds),
    seconds: values.seconds === undefined ? defaults.seconds : number(values.seconds),
    write: values.write,
    against: values.against,
  };
}

function pick<T extends string>(text: string | undefined, known: readonly T[]): readonly T[] | undefined {
  return text?.split(",").map((each) => {
    const found = known.find((name) => name === each);
    if (found === undefined) refuse(`${each} is none of ${known.join(", ")}`);
    return found;
  });
}

function number(text: string): number {
  const value = Number(text);
  if (!(value > 0)) refuse(`${text} is not a number above 0`);
  return value;
}

function refuse(reason: string): never {
  console.error(`${reason}\n${usage}`);
  process.exit(2);
}
