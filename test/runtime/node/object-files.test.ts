import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ManualClock, newDirectory, start, TestObject } from "./test-host.ts";

/** Starts a process that kills itself at the given point, and waits for its end. */
function die(where: string): Promise<string> {
  const directory = newDirectory();
  const script = join(import.meta.dirname, "dying-object.ts");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, where, directory], (error, _, stderr) => {
      if (error?.signal === "SIGKILL") resolve(directory);
      else reject(new Error(`the process didn't end by SIGKILL: ${stderr}`));
    });
  });
}

class Survivor extends TestObject {
  async notes(): Promise<unknown> {
    this.ctx.storage.sql.exec("create table if not exists notes (text text not null)");
    return this.ctx.storage.sql.exec("select text from notes").toArray();
  }

  async rang(): Promise<unknown> {
    return [await this.ctx.storage.get("rang"), await this.ctx.storage.getAlarm()];
  }

  async alarm(): Promise<void> {
    this.ctx.storage.sql.exec("insert into notes values ('rang again')");
  }
}

describe("a process that is killed", () => {
  test.each([
    ["before-commit", []],
    ["answered", [{ text: "noted" }]],
    ["outgoing", [{ text: "noted" }]],
  ])("a process that is killed keeps what its Durable Object committed, if killed at: %s", async (where, left) => {
    const { host, call } = start(Survivor, { directory: await die(where) });
    expect(await call("a", "notes")).toEqual(left);
    await host.close();
  });

  test("a process that is killed keeps the alarm whose handler ran, and runs it at the next start", async () => {
    const clock = new ManualClock(Date.now());
    const { host, call } = start(Survivor, { directory: await die("alarm"), clock });
    await clock.advance(60_000);
    expect(await call("a", "notes")).toEqual([{ text: "rang" }, { text: "rang again" }]);
    expect(await call("a", "rang")).toEqual([true, null]);
    await host.close();
  });
});

const worker = `
import { DurableObject } from "cloudflare:workers";
export class Thing extends DurableObject {
  async write() {
    const { storage } = this.ctx;
    storage.sql.exec("create table if not exists notes (number real, text text)");
    storage.sql.exec("insert into notes values (?, ?)", 1.5, "from workerd");
    await storage.put("place", { shard: 3, name: "\\u00e9\\u2603", list: [1, null, true], at: new Date(5), bytes: new Uint8Array([1, 2]) });
    await storage.setAlarm(4102444800000);
  }
  async read() {
    const { storage } = this.ctx;
    const place = await storage.get("place");
    const rows = storage.sql.exec("select * from notes").toArray();
    const { at, bytes } = place;
    return { place: { ...place, at: at.getTime(), bytes: [...bytes] }, rows, alarm: await storage.getAlarm(), rang: await storage.get("rang") };
  }
  async alarm() { await this.ctx.storage.put("rang", this.ctx.id.name); }
}
export default {
  async fetch(request, env) {
    if (request.method === "HEAD") return new Response();
    const thing = env.THING.get(env.THING.idFromName("a"));
    return Response.json((await thing[new URL(request.url).pathname.slice(1)]()) ?? null);
  },
};`;

const configOf = (port: number) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "objects", disk = (path = "objects", writable = true))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-23",
  bindings = [(name = "THING", durableObjectNamespace = "Thing")],
  durableObjectNamespaces = [(className = "Thing", uniqueKey = "test", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
);`;

const { default: binary } = createRequire(import.meta.url)("workerd") as { readonly default: string };

let stop = async (): Promise<void> => {};
afterEach(() => stop());

async function startWorkerd(directory: string): Promise<(method: string) => Promise<unknown>> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  server.close();
  await once(server, "close");
  writeFileSync(join(directory, "worker.js"), worker);
  writeFileSync(join(directory, "config.capnp"), configOf(address.port));
  const child = spawn(binary, ["serve", "config.capnp"], { cwd: directory, stdio: "inherit" });
  const exited = once(child, "exit");
  stop = async () => {
    child.kill();
    await exited;
  };
  const ask = async (method: string) => (await fetch(`http://127.0.0.1:${address.port}/${method}`)).json();
  const isUp = () =>
    fetch(`http://127.0.0.1:${address.port}/`, { method: "HEAD" }).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  return ask;
}

class Thing extends TestObject {
  async write(): Promise<void> {
    const { storage } = this.ctx;
    storage.sql.exec("create table if not exists notes (number real, text text)");
    storage.sql.exec("insert into notes values (?, ?)", 1.5, "from Node");
    await storage.put("place", place);
    await storage.setAlarm(4102444800000);
  }

  async read(): Promise<unknown> {
    const { storage } = this.ctx;
    const rows = storage.sql.exec("select * from notes").toArray();
    return { place: await storage.get("place"), rows, alarm: await storage.getAlarm() };
  }

  async ringAt(at: number): Promise<void> {
    await this.ctx.storage.setAlarm(at);
  }

  async alarm(): Promise<void> {}
}

const place = { shard: 3, name: "é☃", list: [1, null, true], at: new Date(5), bytes: new Uint8Array([1, 2]) };
const alarm = 4102444800000;

describe("a folder of Durable Objects", () => {
  test("a folder of Durable Objects written by workerd can be read by Node, and the other way round", async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, "objects"));
    const folder = { directory: join(directory, "objects"), clock: new ManualClock() };
    const first = await startWorkerd(directory);
    await first("write");
    await stop();
    const node = start(Thing, folder);
    const fromWorkerd = { number: 1.5, text: "from workerd" };
    expect(await node.call("a", "read")).toEqual({ place, rows: [fromWorkerd], alarm });
    await node.call("a", "write");
    await node.host.close();
    const second = await startWorkerd(directory);
    const rows = [fromWorkerd, { number: 1.5, text: "from Node" }];
    expect(await second("read")).toEqual({ place: { ...place, at: 5, bytes: [1, 2] }, rows, alarm });
  });

  test("in a folder of Durable Objects written by Node, workerd runs the alarms, with the objects' names", async () => {
    const directory = newDirectory();
    const folder = { directory: join(directory, "objects"), clock: new ManualClock(Date.now() - 3_600_000) };
    const { host, call } = start(Thing, folder);
    await call("a", "write");
    await call("a", "ringAt", Date.now() - 1_000);
    await host.close();
    const ask = await startWorkerd(directory);
    await expect.poll(() => ask("read")).toMatchObject({ rang: "a", alarm: null });
  });
});
