import { constants, setPriority } from "node:os";
import { exitOnSignals } from "./backup/temporary-folder.ts";
import { runCommand } from "./run-command.ts";

exitOnSignals();
const args = process.argv.slice(2);
const isMove = args[0] === "shards" && args[1] === "move";
// A service on this machine comes first: its callers wait. Those of a program that moves wait for the command itself.
if (!isMove) setPriority(constants.priority.PRIORITY_LOW);
process.exitCode = await runCommand(args);
