import { type ParseArgsConfig, parseArgs } from "node:util";

/** An error whose message says everything that the person who runs the command needs. */
export class ExplainedError extends Error {
  override readonly name = "ExplainedError";
}

/** The service or its database did not answer. */
export class UnreachableError extends ExplainedError {}

/** The message only, if the cause is known, such as a full disk. Otherwise the error with its stack. */
export function explain(error: unknown): unknown {
  return error instanceof ExplainedError || (error instanceof Error && "syscall" in error) ? error.message : error;
}

/** Ends the process with the usage at an argument that isn't among the options. */
export function readFlags<Options extends NonNullable<ParseArgsConfig["options"]>>(usage: string, options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch {
    console.error(usage);
    process.exit(2);
  }
}
