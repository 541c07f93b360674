import { constants, setPriority } from "node:os";
import { exitOnSignals } from "./backup/temporary-folder.ts";
import { runCommand } from "./run-command.ts";

exitOnSignals();
const args = process.argv.slice(2);
// A service on this machine comes first: its callers wait. Those of a program that moves wait for the command itself.
if (args[0] !== "shards") setPriority(constants.priority.PRIORITY_LOW);
process.exitCode = await runCommand(args);
