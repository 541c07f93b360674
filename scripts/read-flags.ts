import { type ParseArgsConfig, parseArgs } from "node:util";

/** Ends the process with the usage at an argument that isn't among the options. */
export function readFlags<Options extends NonNullable<ParseArgsConfig["options"]>>(usage: string, options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch {
    console.error(usage);
    process.exit(2);
  }
}
