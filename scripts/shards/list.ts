import { home } from "#domain/shard.ts";
import { readShardLoads, type ShardLoad } from "#store/places.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags } from "../../sdk/cli/flags.ts";
import { openStore } from "../database/client.ts";
import { serviceDatabase } from "../database/service-database.ts";

const columns = ["shard", "location", "state", "programs"] as const;

export async function run(args: string[]): Promise<ExitCode> {
  const { values } = parseFlags(args, { data: { type: "string" } }, 0);
  const { url, authToken, databases } = await serviceDatabase(values.data);
  const shards = await readShardLoads(openStore({ url, authToken }));
  if (shards.length === 0) {
    console.log("The service has home alone: shard 0.");
    return exit.good;
  }
  const isConfigured = ({ number }: ShardLoad) => databases.some(({ shard }) => shard === number);
  const lines = [columns, ...shards.map((each) => cells(each, isConfigured(each)))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? "").length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  return exit.good;
}

function cells({ number, location, isOpen, programs }: ShardLoad, isConfigured: boolean): readonly string[] {
  const state = isOpen ? "open" : "closed";
  const shown = isConfigured || number === home ? state : `${state}, not in SHARDS`;
  return [String(number), location ?? "-", shown, String(programs)];
}
