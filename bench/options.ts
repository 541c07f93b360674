import { parseArgs } from "node:util";
import { type Kind, kinds } from "./calls.ts";
import { type Runtime, runtimes } from "./service.ts";

export interface Options {
  readonly only: readonly Kind[];
  readonly connections: readonly number[];
  readonly runtimes: readonly Runtime[];
  readonly rounds: number;
  /** Of each measured window. */
  readonly seconds: number;
  /** Updates docs/performance.md. */
  readonly write: boolean;
}

type Defaults = Omit<Options, "write" | "runtimes"> & Partial<Pick<Options, "runtimes">>;

/** `--quick`, and over it `--only sale,lead`, `--connections 1,32`, `--runtime workerd`, `--rounds`, `--seconds`, `--write`. */
export function readOptions(usual: Defaults, quick: Partial<Defaults>): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    options: { quick: flag, write: flag, only: text, connections: text, runtime: text, rounds: text, seconds: text },
  });
  const defaults = { runtimes, ...usual, ...(values.quick ? quick : {}) };
  return {
    only: pick(values.only, kinds) ?? defaults.only,
    connections: values.connections?.split(",").map((each) => number(each)) ?? defaults.connections,
    runtimes: pick(values.runtime, runtimes) ?? defaults.runtimes,
    rounds: values.rounds === undefined ? defaults.rounds : number(values.rounds),
    seconds: values.seconds === undefined ? defaults.seconds : number(values.seconds),
    write: values.write,
  };
}

function pick<T extends string>(text: string | undefined, known: readonly T[]): readonly T[] | undefined {
  return text?.split(",").map((each) => {
    const found = known.find((name) => name === each);
    if (found === undefined) throw new Error(`${each} is none of ${known.join(", ")}`);
    return found;
  });
}

function number(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${text} is not a number above 0`);
  return value;
}
