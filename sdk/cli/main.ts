#!/usr/bin/env node
import { version } from "../package.json";
import * as doctor from "./doctor/command.ts";
import { type ExitCode, exit } from "./exit.ts";
import { UsageError } from "./flags.ts";
import { createOutput } from "./output.ts";
import * as readiness from "./readiness.ts";
import * as replay from "./replay/command.ts";
import * as send from "./send.ts";
import * as verify from "./verify.ts";

interface Command {
  readonly help: string;
  run(args: string[]): Promise<ExitCode>;
}

const commands: Readonly<Record<string, Command>> = { doctor, verify, readiness, send, replay };

const help = `tributary-sdk <command> [flags]

  doctor       what is wrong with an integration, on one screen; --page looks at a page of yours
  verify       run a click, a lead and a sale through the test book, and explain each step
  readiness    what is still missing before partners are paid; --watch
  send         send one click, lead, sale or refund; test mode unless --live
  replay       send the past: a file of events, resumable

Each has --help, needs the program API key in TRIBUTARY_API_KEY, and takes:

  --url <url>    where the service is; or TRIBUTARY_URL
  --json         one line of JSON on stdout per answer, nothing else there

  --version

Exit codes: 0 good; 1 the service answered, and the answer is no; 2 wrong usage, nothing was sent; 3 the service could
not be reached, or asks to come back later. NO_COLOR turns colors off.`;

const shared = `
Flags of all commands: --url, --json; see tributary-sdk --help. Exit codes 2: usage, 3: not reached.`;

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
    throw new UsageError(name ? `"${name}" is no command; the command comes first.` : "Which command?");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    note(`${error.message}\nSee: tributary-sdk ${command ? `${name} ` : ""}--help`);
    return exit.usage;
  }
}

// Whoever reads us may stop reading: `| head`.
process.stdout.on("error", () => process.exit());
process.exitCode = await main(process.argv.slice(2));
