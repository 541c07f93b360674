import { constants, setPriority } from "node:os";
import { exit } from "../sdk/cli/exit.ts";
import { UsageError } from "../sdk/cli/flags.ts";
import { exitOnSignals } from "./backup/temporary-folder.ts";
import { runCommand } from "./run-command.ts";
import { valuesIn } from "./service/environment.ts";

exitOnSignals();
// The command completes its work even if no process reads its output any more.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
const args = process.argv.slice(2);
const isMove = args[0] === "shards" && args[1] === "move";
// A service on this machine takes precedence, because its callers wait. A migration keeps the usual priority, because
// the callers of the migrated program wait for this command.
if (!isMove) setPriority(constants.priority.PRIORITY_LOW);
try {
  // Commands read DATA_KEYS from the same place as the service.
  Object.assign(process.env, valuesIn(process.env));
  process.exitCode = await runCommand(args);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = exit.usage;
}
