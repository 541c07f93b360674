import { type ParseArgsConfig, parseArgs } from "node:util";

/** Variable in which `bin/tributary` passes on the name that it was called by. */
const commandVariable = "OPERATOR_COMMAND";

/** Quotes an argument for a shell, if necessary. */
export const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const typed = process.env[commandVariable];

/** True if `npm run` started the command. The default data folder is then that of `npm start` in the same clone. */
export const isRunByNpm = !typed;

/** The text that starts an operator's command, as help texts and messages show it. */
export const operatorCommand = typed ? shellWord(typed) : "npm run tributary --";

/** The text that comes before the flags of `serve`. */
export const serveCommand = typed ? `${operatorCommand} serve` : "npm run serve --";

const inherited = [commandVariable, "NODE_COMPILE_CACHE", "NODE_OPTIONS"];

/**
 * The variables that a command in a child process needs to start as fast as this process, and to show operators'
 * commands under the same name.
 */
export const commandEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);

/** An error whose message says everything that the person who runs the command needs. */
export class ExplainedError extends Error {
  override readonly name = "ExplainedError";
}

/** Thrown if the service or its database doesn't respond. */
export class UnreachableError extends ExplainedError {}

/**
 * Returns what to print for an error: only its message if the cause is known, such as a full disk, otherwise the error
 * with its stack.
 */
export function explain(error: unknown): unknown {
  return error instanceof ExplainedError || (error instanceof Error && "syscall" in error) ? error.message : error;
}

/** Reads the options of a command. An unknown argument ends the process with the usage text. */
export function readFlags<Options extends NonNullable<ParseArgsConfig["options"]>>(usage: string, options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch {
    console.error(usage);
    process.exit(2);
  }
}
