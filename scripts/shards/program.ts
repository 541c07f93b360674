import type { ProgramId } from "#domain/ids.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError } from "../command.ts";
import { withClient } from "../database/client.ts";
import { type ServiceDatabase, serviceDatabase } from "../database/service-database.ts";
import { operatorApi } from "../service/operator-api.ts";
import { requireConfigured } from "./arguments.ts";
import { type Move, type MovePlaces, openMove } from "./mover.ts";
import { placesOf } from "./operator.ts";

export interface OfProgram {
  readonly programId: ProgramId;
  /** The arguments after the program's id. */
  readonly rest: readonly string[];
  readonly folder: string | undefined;
  /** The flag `--yes` of the command `move`. */
  readonly yes: boolean;
}

/** Reads the arguments of a command: a program's id and at most `others` more. */
export function readProgram(args: string[], others: number): OfProgram {
  const { values, positionals } = parseFlags(
    args,
    { data: { type: "string" }, yes: { type: "boolean", default: false } },
    1 + others,
  );
  const [text = "", ...rest] = positionals;
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new UsageError("Name a program by its id.");
  return { programId: Number(text), rest, folder: values.data, yes: values.yes };
}

export async function openPlaces(
  folder: string | undefined,
): Promise<{ readonly places: MovePlaces; readonly service: ServiceDatabase }> {
  const [service, { send }] = await Promise.all([serviceDatabase(folder), operatorApi(folder)]);
  return { service, places: placesOf(send, (shard) => requireConfigured(service.databases, shard)) };
}

export async function requireOpenMove({ databases }: ServiceDatabase, programId: ProgramId): Promise<Move> {
  const move = await withClient(databases[0], (client) => openMove(client, programId));
  if (move === undefined) throw new ExplainedError(`Program ${programId} is not being moved.`);
  return move;
}
