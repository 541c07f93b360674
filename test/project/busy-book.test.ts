/** @module-tag soak */
import type { ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import { databaseFile } from "../../scripts/backup/data-paths.ts";
import { root } from "../../scripts/root.ts";
import { freePort } from "../../scripts/service/ports.ts";
import { tributary } from "../support/tributary.ts";
import { type Started, start as startIn, stop } from "./started.ts";

// Release 0.1.0 wrote this data for calls to its API: sales in two currencies, refunds, a correction, coupons, rules of
// a group, an adjustment, an erasure, a webhook, three members, a payout with a failed line, a final one and a draft.
const fixture = join(root, "test/project/busy-book");
const program = "/api/programs/2";
const key = "svc_2_wxFsxanlnwf5xWAtxgBg7R3kWuDFMSXL2Ei3bymKupU";
const owner = { email: "demo@tributary.example", password: "8DTtte3AwWlhKl7w" };
const admin = { email: "admin@example.com", password: "a long enough phrase 71" };
const [finalPayout, draft] = [2, 3];

const balances = [
  ["p0", "EUR", 0, 0, 8_759, -40],
  ["p1", "EUR", 24_391, 0, 0, 0],
  ["p2", "EUR", 0, 9_032, 0, 0],
  ["p3", "EUR", 7_201, 0, 0, 0],
  ["p0", "USD", 1_455, 0, 0, 0],
  ["p1", "USD", 2_627, 0, 0, 0],
  ["p2", "USD", 1_436, 0, 0, 0],
  ["p3", "USD", 1_837, 0, 0, 0],
];

let folder: string;
let data: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tributary upgrade-"));
  data = join(folder, "data of 0.1.0");
  await mkdir(dirname(join(data, databaseFile)), { recursive: true });
  await writeFile(join(data, databaseFile), brotliDecompressSync(await readFile(join(fixture, "data.br"))));
  await cp(join(fixture, "secrets.env"), join(data, "dev.vars"));
  await cp(join(fixture, "demo.json"), join(data, "demo.json"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(path: string): Promise<Started> {
  const onSpawn = (child: ChildProcess) => onTestFinished(() => stop(child));
  return startIn({ port: await freePort(), cwd: root, args: ["--data", path], onSpawn });
}

async function signIn(url: string, user: typeof owner): Promise<Session> {
  const session = createSession(url);
  expect((await session.post("/api/auth/sign-in/email", user)).status).toBe(200);
  return session;
}

interface Listed {
  readonly data: readonly Readonly<Record<string, string | number | null>>[];
}
const listed = async (session: Session, path: string) => (await session.get<Listed>(path)).body.data;
const balancesOf = async (session: Session) =>
  (await listed(session, `${program}/balances`)).map((row) => [
    ...[row.partnerCode, row.currency, row.payableCents, row.inPayoutCents, row.paidCents, row.carriedCents],
  ]);
const statusesOf = async (session: Session) =>
  (await listed(session, `${program}/payouts`)).map(({ id, status }) => `${id} ${status}`).toSorted();
const expectRightBooks = async (path: string) =>
  expect(await tributary(["audit", "--data", path])).toMatchObject({ code: 0 });

test("npm start upgrades the busy data of release 0.1.0 in a path with a space, and its backup has the data from before the upgrade", async () => {
  const service = await start(data);
  const session = await signIn(service.url, owner);
  expect(await balancesOf(session)).toEqual(balances);
  expect(await statusesOf(session)).toEqual(["1 paid", "2 final", "3 draft"]);
  const totals = await listed(session, `${program}/commissions/totals`);
  expect(totals.reduce((sum, { count }) => sum + Number(count), 0)).toBe(64);
  expect(await listed(session, `${program}/coupons`)).toMatchObject([{ codes: ["BEN10", "BEN20"], partnerCode: "p1" }]);
  expect(await listed(session, `${program}/webhooks`)).toMatchObject([{ url: "http://127.0.0.1:9/hook" }]);
  expect(await listed(session, `${program}/groups`)).toMatchObject([{ name: "Gold" }]);
  // The file is computed from the bank accounts, which are decrypted for it.
  const files = await session.get(`${program}/payouts/${finalPayout}/files`);
  const sepa = expect.objectContaining({ format: "sepa", lineCount: 1, amountCents: 9_032 });
  expect(files.body).toMatchObject({ data: { files: expect.arrayContaining([sepa]), refused: [] } });
  await expectRightBooks(data);

  const api = createApi(service.url);
  const sale = (transaction_id: string, customer_key: string) =>
    api.sale({ transaction_id, customer_key, amount_cents: 2_000, currency: "EUR" }, { key });
  expect((await sale("t-1", "cust-1")).status).toBe(409);
  expect((await sale("t-of-upgrade", "cust-0")).body).toMatchObject({ partner_code: "p0" });
  const refund = { transaction_id: "t-0", refund_amount_cents: 300, refund_id: "r-0" };
  expect((await api.refund(refund, { key })).body).toMatchObject({ status: "skipped" });
  expect((await session.post(`${program}/payouts/${finalPayout}/confirm`, {})).status).toBe(200);
  expect((await session.post(`${program}/payouts/${draft}/finalize`, {})).status).toBe(200);
  expect((await balancesOf(session)).slice(0, 3)).toEqual([
    ["p0", "EUR", 360, 0, 8_759, 0],
    ["p1", "EUR", 24_391, 0, 0, 0],
    ["p2", "EUR", 0, 0, 9_032, 0],
  ]);
  await expectRightBooks(data);
  await stop(service.child);

  const [backup = ""] = await readdir(join(data, "backups"));
  const restored = join(folder, "restored data");
  const secrets = ["--secrets-file", join(data, "dev.vars")];
  const done = await tributary(["restore", join(data, "backups", backup), "--data", restored, ...secrets]);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  await cp(join(data, "dev.vars"), join(restored, "dev.vars"));
  const again = await start(restored);
  const earlier = await signIn(again.url, admin);
  expect(await balancesOf(earlier)).toEqual(balances);
  expect(await statusesOf(earlier)).toEqual(["1 paid", "2 final", "3 draft"]);
  await expectRightBooks(restored);
});
