/** @module-tag soak */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { parseShards, type ShardAddress, shardLines, shardVariables } from "#domain/shard-list.ts";
import { type Sqld, startSqld } from "../../harness/sqld.ts";
import { openClient } from "../../scripts/database/client.ts";
import { migrate } from "../../scripts/database/migrate.ts";
import { addShard } from "../../scripts/database/shards.ts";
import { node } from "../../scripts/root.ts";
import { newSecret, secretNames } from "../../scripts/service/secrets.ts";
import { nodeEnvironment } from "../support/node-environment.ts";
import { execute, type Outcome } from "../support/tributary.ts";

let folder: string;
let databases: readonly Sqld[];
let deployed: Server;
/** The programs whose keys were requested from the deployed Worker. */
const asked: string[] = [];
let lines: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-deploy-shards-"));
  await mkdir(join(folder, "cloudflare"));
  databases = await Promise.all(["home", "one", "two"].map((name) => startSqld({ directory: join(folder, name) })));
  const [atHome, ...others] = databases;
  if (atHome === undefined) throw new Error("home has not been started");
  await Promise.all(databases.map((database) => migrate(database)));
  const shards: ShardAddress[] = [];
  for (const [i, database] of others.entries()) {
    const installation = await addShard(atHome, database, { shard: i + 1, location: "weur" });
    shards.push({ shard: i + 1, databaseUrl: `libsql://shard-${i + 1}.test`, location: "weur", installation });
  }
  lines = shardLines(shards);
  deployed = createServer(({ url, headers }, answer) => {
    if (url !== "/readyz") asked.push(headers.authorization?.slice(0, "Bearer svc_xxxxxxxxx".length) ?? "");
    answer.writeHead(url === "/readyz" ? 200 : 401).end();
  });
  await new Promise<void>((resolve) => deployed.listen(0, "127.0.0.1", resolve));
  const secrets = Object.fromEntries(secretNames.map((name) => [name, newSecret(name)]));
  await writeFile(join(folder, "cloudflare/secrets.json"), JSON.stringify(secrets));
});
afterAll(async () => {
  deployed?.close();
  await Promise.all((databases ?? []).map((database) => database.kill()));
  await rm(folder, { recursive: true, force: true });
});

async function deploy(env: Readonly<Record<string, string>>): Promise<Outcome> {
  const { port } = deployed.address() as AddressInfo;
  const urls = databases.map(({ url }) => url);
  return execute(node, ["scripts/release/deploy.ts", "--dist", join(folder, "dist")], {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    ...nodeEnvironment("deploy-preload.ts"),
    TEST_BUILD: inject("buildDirectory"),
    TEST_CLOUDFLARE: join(folder, "cloudflare"),
    ...{ TEST_DATABASE: urls[0] ?? "", TEST_SHARD_1: urls[1] ?? "", TEST_SHARD_2: urls[2] ?? "" },
    ...{ DATABASE_URL: "libsql://database.test", DATABASE_AUTH_TOKEN: "of-the-group", SHARDS: lines },
    BASE_URL: `http://127.0.0.1:${port}`,
    ...env,
  });
}

const sent = async (name: string) =>
  JSON.parse(await readFile(join(folder, `cloudflare/${name}.json`), "utf8").catch(() => "null"));

test("a deployment that would leave a shard without its database is refused, and nothing is sent", async () => {
  const [one = "", two = ""] = lines.split("\n");
  const exchanged = lines.replace("shard-1", "shard-x").replace("shard-2", "shard-1").replace("shard-x", "shard-2");
  const installation = one.split(" ").at(-1);
  const refusals = [
    [one, "The service also has shard 2. Add what is missing to SHARDS: docs/shards.md. Nothing was done."],
    [exchanged, `Shard 1: This database is that of shard 2 of the service ${installation}.`],
    [`${one}\n${two.replace("libsql:", "http:")}`, "The address of shard 2 is http://shard-2.test: it begins with"],
    [
      `${one}\n${two.replace("libsql://", "libsql://me:hunter2@")}`,
      "The address of shard 2 in SHARDS must be an address",
    ],
    [`${one}\n2`, "Line 2 of SHARDS is not"],
  ] as const;
  for (const [SHARDS, message] of refusals) {
    const { code, stdout, stderr } = await deploy({ SHARDS });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    expect(stdout + stderr).not.toContain("hunter2");
  }
  expect(await sent("vars")).toBeNull();
});

test("no deployment runs while a program is being migrated", async () => {
  const client = openClient({ url: databases[0]?.url ?? "" });
  await client.batch([
    "insert into workspaces (id, name, created_at) values ('w', 'W', 0)",
    "insert into program_places (program_id, workspace_id, shard, created_at) values (1, 'w', 0, 0)",
    "insert into program_moves (program_id, from_shard, to_shard, state, started_at) values (1, 0, 1, 'open', 0)",
  ]);
  const { code, stderr } = await deploy({});
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("Being moved between shards: program 1. Finish or abandon that first"),
  });
  expect(await sent("vars")).toBeNull();
  await client.execute("update program_moves set state = 'done'");
  client.close();
});

test("a deployment sends the Worker the shards and their tokens, and then makes a first call to each shard", async () => {
  const { code, stdout, stderr } = await deploy({ DATABASE_AUTH_TOKEN_2: "of-shard-2" });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("The 3 databases are up to date.");
  expect(await sent("vars")).toContain(`SHARDS:${lines}`);
  expect(await sent("secrets")).toMatchObject({
    ...{ DATABASE_AUTH_TOKEN: "of-the-group", DATABASE_AUTH_TOKEN_2: "of-shard-2" },
  });
  expect(await sent("secrets")).not.toHaveProperty("DATABASE_AUTH_TOKEN_1");
  expect(new Set(asked).size).toBe(3);
});

test("the settings of more than sixty shards use a second variable", () => {
  const installation = "installation-of-all";
  const shards = Array.from({ length: 130 }, (_, i) => ({
    ...{ shard: i + 1, databaseUrl: `libsql://shard-${i + 1}.test`, location: undefined, installation },
  }));
  const variables = shardVariables(shards);
  expect(Object.keys(variables)).toEqual(["SHARDS", "SHARDS_2", "SHARDS_3"]);
  expect(parseShards(Object.values(variables).join("\n"))).toEqual(shards);
  expect(shardVariables([])).toEqual({ SHARDS: "" });
});
