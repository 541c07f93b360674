import { constants, setPriority } from "node:os";
import { exitOnSignals } from "./backup/temporary-folder.ts";
import { runCommand } from "./run-command.ts";

exitOnSignals();
// A service on this machine comes first: its callers wait.
setPriority(constants.priority.PRIORITY_LOW);
process.exitCode = await runCommand(process.argv.slice(2));
