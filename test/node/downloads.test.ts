import { expect, test } from "vitest";
import { createApi } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { copyCommission } from "../support/many-commissions.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { post } from "../support/statements-fixture.ts";

const own = isolatedService();

const rows = 10_000;
/**
 * The sub-id of each row. It is so long that each file is larger than what sockets and processes buffer of an unread
 * file.
 */
const sub = `printf('%.*c', 1000, 'x')`;

const cookieOf = ({ cookies }: User) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
});

/** Starts a slow download. `rest` reads the remaining lines, and resolves with their number. */
async function begin(user: User, path: string) {
  const answer = await fetch(own.service.url + path, { headers: cookieOf(user) });
  expect(answer.status, path).toBe(200);
  const reader = answer.body?.getReader() ?? expect.fail("no file");
  let lines = 0;
  const read = async () => {
    const { value, done } = await reader.read();
    for (const byte of value ?? []) if (byte === 10) lines += 1;
    return done;
  };
  await read();
  let reading = Promise.resolve(false);
  const slowly = setInterval(() => {
    reading = reading.then(read);
  }, 200);
  const rest = async () => {
    clearInterval(slowly);
    await reading;
    while (!(await read()));
    return lines;
  };
  return { rest, end: () => reader.cancel() };
}

test("at most one file per user and two per program are downloaded at a time, and lists are still served meanwhile", {
  tags: "finding",
}, async () => {
  const [owner, viewer, anna] = [await own.user(), await own.user(), await own.user()];
  const members = [
    { user: owner, role: "owner" },
    { user: viewer, role: "viewer" },
  ] as const;
  const world = await own.world({ members, partners: [{}, {}], keys: [{ scopes: ["track", "read", "manage"] }] });
  const shop = salesFixture(programFixture(world, createApi(own.service.url)));
  await shop.refer("c1");
  const { body } = await shop.sell({ transaction_id: "t1", customer_key: "c1" });
  await copyCommission(shop, body as { sale_id: number; commission_id: number }, rows, { sub });
  await post(
    shop,
    Array.from({ length: 2_001 }, () => ({ at: Date.now(), amountCents: 1 })),
  );
  const side = await partnerSide(world, anna, shop.alice.id);
  const path = `/api/programs/${world.programId}`;
  const file = `${path}/commissions?format=csv`;
  const refusalOf = async (sent: Promise<Response>) => {
    const answer = await sent;
    const text = await answer.text();
    return [answer.status, answer.headers.get("retry-after"), text.includes('"download_running"')];
  };
  const get = (user: User, of: string) => fetch(own.service.url + of, { headers: cookieOf(user) });
  const refused = [429, "5", true];

  const [first, second] = [await begin(owner, file), await begin(anna, `${side}/export`)];
  const lists = ["commissions", "audit", "payouts", "balances"].map((list) => `${path}/${list}`);
  const byKey = { headers: { authorization: `Bearer ${world.key}` } };
  const tried = await Promise.all(
    [
      ...[...lists, `/api/tracking/performance/${world.programId}/partners`].map((list) =>
        get(owner, `${list}?format=csv`),
      ),
      ...[`${path}/export?kind=partners`, `${path}/partners/${shop.alice.id}/statement`].map((of) => get(viewer, of)),
      ...[`${side}/commissions?format=csv`, `${side}/export`, `${side}/statement`].map((of) => get(anna, of)),
      fetch(`${own.service.url}/api/v1/programs/me/export?kind=partners`, byKey),
      fetch(`${own.service.url}/api/v1/programs/me/partners/${shop.alice.id}/statement`, byKey),
    ].map(refusalOf),
  );
  expect(tried).toEqual(tried.map(() => refused));
  expect((await viewer.get(`${path}/commissions`)).status).toBe(200);

  expect((await fetch(own.service.url + file, { method: "HEAD", headers: cookieOf(viewer) })).status).toBe(405);
  expect(await first.rest()).toBe(rows + 1);
  await second.end();
  const text = await (await get(viewer, `${path}/export?kind=partners`)).text();
  expect(text.split("\n").length).toBeGreaterThan(2);
});
