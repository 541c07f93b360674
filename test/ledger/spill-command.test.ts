import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { testSecrets } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import { expectLedgerConsistent } from "../support/expect-ledger-consistent.ts";
import { isolatedDevelopmentService } from "../support/isolated-service.ts";
import { tributary } from "../support/tributary.ts";

const own = isolatedDevelopmentService();
let world: World;
beforeEach(async () => {
  world = await own.world();
  // The click makes the Ledger cache the link.
  await click();
});
afterEach(async () => {
  own.proxy.heal();
  await own.service.ledgerStorage("delete from clicks");
  await own.service.evictLedger();
});

const click = async () => {
  const visit = { affiliate_url: world.partner.landingUrl, program_id: world.programId };
  return (await own.api().click(visit)).body.click_id;
};
const stored = async () =>
  (await world.rows("select click_id from clicks where program_id = ?", world.programId)).map((row) => row.click_id);

async function kept() {
  const lift = own.proxy.inject({ kind: "refuse" });
  const clickId = await click();
  lift();
  return clickId;
}
/** Sets aside all kept clicks, as if the database had rejected them, and restarts the Ledger. */
async function setAside() {
  await own.service.ledgerStorage("update clicks set state = 1");
  await own.service.evictLedger();
}

const spill = (args: readonly string[], env: Record<string, string> = {}) =>
  tributary(["spill", ...args], {
    DATABASE_URL: own.database.url,
    DATABASE_AUTH_TOKEN: testSecrets.DATABASE_AUTH_TOKEN,
    BASE_URL: own.service.url,
    ...env,
  });
const run = async (args: readonly string[] = [], env?: Record<string, string>) => {
  const { code, stdout } = await spill(args, env);
  expect(code).toBe(0);
  return stdout.trimEnd().split("\n");
};
/** Creates a data folder of a service whose local address differs from its public one. */
async function runningHere(localUrl: string): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "tributary-spill-"));
  onTestFinished(() => rm(data, { recursive: true }));
  const { DATABASE_AUTH_TOKEN: databaseAuthToken } = testSecrets;
  const running = { url: "https://tributary.invalid", localUrl, databaseUrl: own.database.url, databaseAuthToken };
  await writeFile(join(data, "running.json"), JSON.stringify(running));
  return data;
}
const failed = async (args: readonly string[], env?: Record<string, string>) => {
  const { code, stderr } = await spill(args, env);
  return [code, stderr.trimEnd()];
};

it("npm run tributary -- spill shows the clicks that wait or are set aside, also while the database is unreachable", {
  tags: "soak",
}, async () => {
  expect(await run()).toEqual(["0 waiting for the database, 0 set aside."]);
  const clickId = await kept();
  await setAside();
  own.proxy.inject({ kind: "refuse" });
  await click();
  const [line = "", summary] = await run();
  expect(JSON.parse(line.replace(/^\d+ /, ""))).toMatchObject({ clickId, programId: world.programId });
  expect(summary).toBe("1 waiting for the database, 1 set aside.");
});

it("npm run tributary -- spill calls the service of a data folder at its local address", { tags: "soak" }, async () => {
  const data = await runningHere(own.service.url);
  const local = { TRIBUTARY_DATA: data, DATABASE_URL: "", DATABASE_AUTH_TOKEN: "", BASE_URL: "" };
  expect(await run([], local)).toEqual(["0 waiting for the database, 0 set aside."]);
  expect(await run(["--data", data], { BASE_URL: "" })).toEqual(["0 waiting for the database, 0 set aside."]);
});

it("npm run tributary -- spill --retry writes the clicks, and keeps those that still fail", async () => {
  const good = await kept();
  const unusable = { clickId: "unusable", programId: world.programId };
  await own.service.ledgerStorage(
    "insert into clicks (program_id, click_id, click) values (?, ?, ?)",
    ...[world.programId, unusable.clickId, JSON.stringify(unusable)],
  );
  await setAside();
  const [retried, line = "", summary] = await run(["--retry"]);
  expect([retried, summary]).toEqual(["2 put back.", "0 waiting for the database, 1 set aside."]);
  expect(JSON.parse(line.replace(/^\d+ /, ""))).toEqual(unusable);
  expect(await stored()).toContain(good);
  await expect.poll(() => own.service.logs.join()).toContain("ledger.spilled_click_refused");
  await expectLedgerConsistent(world);
});

it("npm run tributary -- spill --discard prints the clicks that it deletes, and deletes no others", {
  tags: "soak",
}, async () => {
  const ids = [await kept(), await kept()];
  await setAside();
  const idOf = async (clickId: unknown) => (await run()).find((line) => line.includes(String(clickId)))?.split(" ")[0];
  const [first = "", second = ""] = [await idOf(ids[0]), await idOf(ids[1])];
  expect(await failed(["--discard", first, "999"])).toEqual([1, "Nothing is discarded: no click 999 is set aside."]);
  const [line = "", summary] = await run(["--discard", first, first]);
  expect(JSON.parse(line.replace(/^\d+ /, ""))).toMatchObject({ clickId: ids[0] });
  expect(summary).toBe("1 discarded.");
  expect(await idOf(ids[0])).toBeUndefined();
  expect(await idOf(ids[1])).toBe(second);
});

it("npm run tributary -- spill reports wrong arguments and settings", { tags: "soak" }, async () => {
  for (const args of [["1"], ["--discard"], ["--discard", "x"], ["--retry", "--discard", "1"], ["--all"]])
    expect(await failed(args), args.join(" ")).toEqual([
      2,
      expect.stringContaining("See: npm run tributary -- spill --help"),
    ]);
  const { url } = own.service;
  expect(await failed([], { DATABASE_AUTH_TOKEN: "another" })).toEqual([
    1,
    `${url} answers 401: Invalid or expired operator token. DATABASE_AUTH_TOKEN must be the one that the service was deployed with.`,
  ]);
  expect(await failed([], { DATABASE_AUTH_TOKEN: "" })).toEqual([
    1,
    expect.stringContaining("Set DATABASE_AUTH_TOKEN"),
  ]);
  expect(await failed([], { BASE_URL: "http://tributary.example" })).toEqual([1, expect.stringContaining("not https")]);
  expect(await failed([], { BASE_URL: "" })).toEqual([1, expect.stringContaining("Set BASE_URL to the address")]);
  expect(await failed([], { BASE_URL: "http://127.0.0.1:9" })).toEqual([
    3,
    expect.stringContaining("can't be reached"),
  ]);
});
