#!/usr/bin/env node
import { version } from "../package.json";
import * as doctor from "./doctor/command.ts";
import { type ExitCode, exit } from "./exit.ts";
import * as explain from "./explain/command.ts";
import * as exportFile from "./export.ts";
import { UsageError } from "./flags.ts";
import * as importFile from "./imports/command.ts";
import * as listen from "./listen/command.ts";
import { createOutput } from "./output.ts";
import * as readiness from "./readiness.ts";
import * as reconcile from "./reconcile/command.ts";
import * as replay from "./replay/command.ts";
import * as requests from "./requests.ts";
import * as send from "./send.ts";
import * as verify from "./verify.ts";

interface Command {
  readonly help: string;
  run(args: string[]): Promise<ExitCode>;
}

const commands: Readonly<Record<string, Command>> = {
  doctor,
  verify,
  readiness,
  explain,
  requests,
  listen,
  send,
  replay,
  reconcile,
  import: importFile,
  export: exportFile,
};

const help = `tributary-sdk <command> [flags]

  doctor       show the problems of an integration on one screen; --page also checks a page of your site
  verify       run a click, a lead and a sale through the test book, and explain each step
  readiness    show what is missing before partners are paid; --watch
  explain      tell who earned a commission on a sale and why, or what would have been needed
  requests     show which calls arrived, and their responses
  listen       show each event as it happens, and forward it to your machine, signed like a webhook
  send         send one click, lead, sale or refund; to the test book unless --live
  replay       import past events from a file; can be stopped and resumed
  reconcile    compare your processor's payments with the recorded sales, and send what is missing
  import       import partners, customers, coupons and balances from another program's files
  export       write partners or customers to a CSV file

Each command has --help, reads the program API key from TRIBUTARY_API_KEY, and takes:

  --url <url>    the service's address; default: TRIBUTARY_URL
  --json         prints one line of JSON per response on stdout, and nothing else there

  --version

Exit codes: 0 success; 1 the service answered negatively; 2 wrong usage, nothing was sent; 3 the service was
unreachable, or asks you to come back later. NO_COLOR turns colors off.`;

const shared = `
Flags of all commands: --url, --json; see tributary-sdk --help. Exit codes 2: wrong usage, 3: unreachable.`;

async function main([name = "", ...args]: string[]): Promise<ExitCode> {
  const { say, note } = createOutput(false);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const asksHelp = [name, ...args].some((arg) => arg === "--help" || arg === "-h");
  if (asksHelp) {
    say(command ? `${command.help}\n${shared}` : help);
    return exit.good;
  }
  if (name === "--version") {
    say(version);
    return exit.good;
  }
  try {
    if (command) return await command.run(args);
    throw new UsageError(name ? `Unknown command "${name}". The command comes first.` : "No command given.");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    note(`${error.message}\nSee: tributary-sdk ${command ? `${name} ` : ""}--help`);
    return exit.usage;
  }
}

// The reader of the output may stop early, such as `| head`.
process.stdout.on("error", () => process.exit());
process.exitCode = await main(process.argv.slice(2));
