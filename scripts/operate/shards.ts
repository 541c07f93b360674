import type { ExitCode } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { nearest } from "../../sdk/cli/nearest.ts";
import { operatorCommand } from "../command.ts";

export const help = `${operatorCommand} shards <command> [--data <folder>]

Shards are further Ledgers, each with a database of its own. The service's page /docs/guides/shards/ describes them.

  list                          number, location, state and programs of each shard
  add <n> <address> <location>  makes an empty database that of a new shard, which is closed, and prints its line for SHARDS
                                location: wnam, enam, sam, weur, eeur, apac, apac-ne, apac-se, oc, afr, me; - is anywhere
  open <n>                      lets new programs be created on a shard that the service has
  close <n>                     keeps new programs away from a shard; those that it has stay
  remove <n>                    takes a closed shard that has never had a program out of the list
  move <program> <n> [--yes]    moves a program to a shard; that page says what its callers notice
                                --yes doesn't ask, even if the program will be frozen for more than a minute
  moves                         the newest moves, and whether they are over
  abandon <program>             ends a move whose program has not left yet: it stays where it is
  clean <program>               removes the rows of a program from the shards that it left
  check [--repair]              checks that every program is where the directory says, and that home knows all codes;
                                --repair corrects the directory`;

interface Command {
  run(args: string[]): Promise<ExitCode>;
}

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  list: () => import("../shards/list.ts"),
  add: () => import("../shards/add.ts"),
  open: () => import("../shards/open.ts"),
  close: () => import("../shards/close.ts"),
  remove: () => import("../shards/remove.ts"),
  move: () => import("../shards/move.ts"),
  moves: () => import("../shards/moves.ts"),
  abandon: () => import("../shards/abandon.ts"),
  clean: () => import("../shards/clean.ts"),
  check: () => import("../shards/check.ts"),
};

export async function run(args: string[]): Promise<ExitCode> {
  const [name = "", ...rest] = args;
  const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined;
  if (command !== undefined) return command.run(rest);
  const { positionals } = parseFlags(args, { data: { type: "string" } });
  const names = Object.keys(commands);
  const [wrong] = positionals;
  if (wrong === undefined) throw new UsageError(`Name one of ${names.join(", ")}.`);
  const meant = nearest(wrong, names);
  throw new UsageError(`Unknown command "shards ${wrong}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`);
}
