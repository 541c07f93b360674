import { locations } from "#domain/locations.ts";
import { shardLines } from "#domain/shard-list.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { migrate } from "../database/migrate.ts";
import { checkAddress, serviceDatabase, tokenOf } from "../database/service-database.ts";
import { addShard, requireNew } from "../database/shards.ts";
import { shardNumber } from "./arguments.ts";

const anywhere = "-";

export async function run(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, { data: { type: "string" } }, 3);
  const [number, url, location] = positionals;
  const shard = shardNumber(number, 1);
  if (url === undefined || !URL.canParse(url)) throw new UsageError("Name the address of the shard's database.");
  if (location === undefined || ![anywhere, ...locations].some((each) => each === location)) {
    throw new UsageError(`Name its location: ${[...locations, anywhere].join(", ")}`);
  }
  if (values.data !== undefined || !process.env.DATABASE_URL) {
    throw new ExplainedError(
      "A service on this machine adds shards itself: start it with --shards <number of shards>, or npm start with TRIBUTARY_SHARDS. For a deployment, set DATABASE_URL.",
    );
  }
  const database = { shard, url, authToken: tokenOf(process.env, shard) };
  checkAddress(database);
  const atHome = await serviceDatabase();
  await requireNew(database);
  await migrate(database);
  const place = location === anywhere ? undefined : location;
  const installation = await addShard(atHome, database, { shard, location: place ?? null });
  console.log(
    `Shard ${shard} is added, and closed. Add this line to SHARDS, deploy, then open it: ${operatorCommand} shards open ${shard}\n`,
  );
  console.log(shardLines([{ shard, databaseUrl: url, location: place, installation }]));
  return exit.good;
}
