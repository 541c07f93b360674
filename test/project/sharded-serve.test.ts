/** @module-tag soak */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shardOf } from "#domain/shard.ts";
import { type Api, createApi } from "../../harness/client.ts";
import { signUp, type User } from "../../harness/session.ts";
import { databaseFileOf } from "../../scripts/backup/data-paths.ts";
import { openClient } from "../../scripts/database/client.ts";
import { readRunning } from "../../scripts/service/data-folder.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { tributary } from "../support/tributary.ts";
import { lockDatabase, type Served, serve as serveIn, servingPid, stop } from "./started.ts";

const running: ChildProcess[] = [];
let folder: string;
let data: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary-sharded-"));
  data = join(folder, "data");
});
afterAll(async () => {
  for (const child of running.splice(0)) await stop(child);
  await rm(folder, { recursive: true, force: true });
});

const serve = async (args: readonly string[] = [], from = data): Promise<Served> =>
  serveIn({
    ...{ data: from, port: await freePort(), args: ["--trusted-proxy", "127.0.0.1", ...args] },
    ...{ env: { SIGN_UP: "open" }, onSpawn: (child) => running.push(child) },
  });

interface Shop {
  readonly id: number;
  readonly shard: number;
  readonly key: string;
  readonly code: string;
}

/** Opens a program in its own workspace, so that it is placed on the shard with the fewest programs. */
async function openShop(owner: User): Promise<Shop> {
  const workspace = await owner.post<{ data: { id: string } }>("/api/workspaces", { name: "Shop" });
  const { body } = await owner.post<{ data: { id: number; apiToken: string } }>("/api/programs", {
    ...{ workspaceId: workspace.body.data.id, name: "Shop" },
  });
  const { id, apiToken: key } = body.data;
  const code = `code-${id}`;
  await owner.post(`/api/programs/${id}/partners`, { name: "Demo", code });
  return { id, shard: shardOf(id), key, code };
}

const sell = (api: Api, { key }: Shop, id: string) =>
  api.sale({ transaction_id: id, amount_cents: 900, customer_key: `customer-${id}` }, { key });

let service: Served;
let shops: readonly Shop[];
const shopOn = (shard: number): Shop => shops.find((shop) => shop.shard === shard) ?? expect.fail(`none on ${shard}`);

const command = (...args: string[]) => tributary(args, { BASE_URL: "" });

test("each shard gets programs, and a shard that has never had a program can be removed", async () => {
  service = await serve(["--shards", "4"]);
  expect(service.log).toContain('"4 shards: 0, 1, 2, 3."');
  const owner = await signUp(service.url);
  shops = [await openShop(owner), await openShop(owner), await openShop(owner)];
  expect(shops.map(({ shard }) => shard)).toEqual([0, 1, 2]);
  const api = createApi(service.url);
  for (const shop of shops) {
    const click = await api.click({ affiliate_url: `https://shop.example/?aff=${shop.code}` }, { browser: true });
    expect(click.body.partner_code).toBe(shop.code);
    expect((await sell(api, shop, "first")).status).toBe(200);
  }
  expect((await readRunning(data))?.databases.map(({ shard }) => shard)).toEqual([0, 1, 2, 3]);
  expect(await command("shards", "close", "3", "--data", data)).toMatchObject({ code: 0 });
  expect(await command("shards", "remove", "3", "--data", data)).toMatchObject({ code: 0 });
  const list = await command("shards", "list", "--data", data);
  expect(list.stdout).toBe(
    ["shard  location  state  programs", ...[0, 1, 2].map((n) => `${n}      -         open   1`), ""].join("\n"),
  );
});

test("the other shards answer while one shard's database accepts no writes", async () => {
  const api = createApi(service.url);
  const unlock = await lockDatabase(data, 2);
  const stalled = sell(api, shopOn(2), "stalled");
  expect((await sell(api, shopOn(1), "meanwhile")).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await unlock();
  expect([200, 503]).toContain((await stalled).status);
  await expect.poll(async () => (await sell(api, shopOn(2), "stalled")).status).toBe(409);
});

const restored = () => join(folder, "restored");

test("a backup contains every shard, and the audit of the copy passes", { tags: "soak" }, async () => {
  const file = join(folder, "backup.tar");
  const [atHome] = (await readRunning(data))?.databases ?? [];
  const client = openClient({ url: atHome?.url ?? "", authToken: atHome?.authToken ?? "" });
  await client.execute({
    sql: "insert into program_moves (program_id, from_shard, to_shard, state, started_at) values (?, 1, 2, 'open', 1)",
    args: [shopOn(1).id],
  });
  const moving = await command("backup", file, "--data", data);
  expect(moving).toMatchObject({ code: 1, stderr: expect.stringContaining("Run again once it has arrived.") });
  await client.execute("delete from program_moves");
  client.close();
  expect(await command("backup", file, "--data", data)).toMatchObject({ code: 0 });
  expect((await sell(createApi(service.url), shopOn(1), "after")).status).toBe(200);
  const verified = await command("restore", "--verify", file);
  expect(verified.stdout.split("\n").filter((line) => /^(Shard|Across)/.test(line))).toEqual([
    ...["Shard 0", "Shard 1", "Shard 2", "Across the shards"],
  ]);
  expect(verified).toMatchObject({ code: 0, stderr: "" });
  const secrets = ["--secrets-file", join(data, "secrets.env")];
  const { stdout } = await command("restore", file, "--data", restored(), ...secrets);
  for (const { id } of shops) expect(stdout).toContain(`program ${id} ("Shop"): none`);
});

test("a stop ends all shards, and the next start continues with every shard that has data, or reports which one is missing", {
  tags: "soak",
}, async () => {
  await stop(service.child);
  expect(service.log).toContain('"Stopped."');
  expect(await servingPid(service.child)).toBeNaN();

  const missing = join(restored(), databaseFileOf(2));
  await rename(missing, `${missing}.away`);
  const refused = await serve([], restored());
  expect(await refused.exited).toBe(1);
  expect(refused.errors).toBe(
    `${missing} is missing. Put it back, or restore a backup: npm run tributary -- restore --help\n`,
  );
  await rename(`${missing}.away`, missing);

  service = await serve(["--shards", "2"], restored());
  expect(service.log).toContain('"3 shards: 0, 1, 2, all that the data has."');
  const api = createApi(service.url);
  for (const shop of shops) expect((await sell(api, shop, "first")).status).toBe(409);
  const again = await sell(api, shopOn(1), "after");
  expect(again.status).toBe(200);
  // Higher than every id that was assigned after the backup.
  expect(again.body.sale_id).toBeGreaterThan(1_001_000_000_000);
  expect((await command("audit", "--data", restored())).code).toBe(0);
});
