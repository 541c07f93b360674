import { exitOnSignals } from "./backup/temporary-folder.ts";
import { runCommand } from "./run-command.ts";

exitOnSignals();
process.exitCode = await runCommand(process.argv.slice(2));
