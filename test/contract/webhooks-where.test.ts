import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
/** A service that sends webhooks only to public addresses. */
const strict = isolatedService();
/** A service that also allows an IPv6 range with embedded IPv4 addresses, which are refused anyway. */
const own = isolatedService({ vars: { WEBHOOK_ALLOW: `${receiver.vars.WEBHOOK_ALLOW},::/64` } });

let reached = 0;
let inner: Server;
let port = 0;
beforeAll(async () => {
  inner = createServer((_, reply) => {
    reached += 1;
    reply.end();
  });
  await new Promise<void>((resolve) => inner.listen(0, "::", resolve));
  port = (inner.address() as AddressInfo).port;
});
afterAll(() => inner.close());

const openShop = async (service: typeof own, user: User) => {
  const world = await service.world({ partners: [{}, {}], members: [{ user, role: "owner" }] });
  return { world, shop: salesFixture(programFixture(world, service.api())) };
};

interface Listed {
  readonly data: { readonly eventId: string; readonly attempts: { readonly status: number | null }[] }[];
}

test("a webhook is never delivered to a loopback address, by whatever host name or notation the webhook's URL contains", async () => {
  const user = await strict.user("Olga");
  const { world, shop } = await openShop(strict, user);
  const base = `/api/programs/${world.programId}/webhooks`;
  const hosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "0"];
  const ids: number[] = [];
  for (const host of hosts) {
    const made = await user.post<{ data: { id: number } }>(base, { url: "https://shop.example/" });
    ids.push(made.body.data.id);
    // Simulates a host name whose address changed after it was checked.
    const url = `http://${host}:${port}/`;
    await world.change({
      sql: "update webhooks set url = ?, types = '[\"sale.recorded\"]', proved_at = 1 where id = ?",
      args: [url, made.body.data.id],
    });
  }
  await shop.sell({ transaction_id: "t1", customer_key: "nobody" });
  for (const id of ids) {
    const { data } = await eventually(
      async () => (await user.get<Listed>(`${base}/${id}/deliveries?status=waiting`)).body,
      ({ data: [first] }) => (first?.attempts.length ?? 0) > 0,
    );
    expect(data[0]?.attempts[0]?.status).toBeNull();
  }
  expect(reached).toBe(0);
});

test("addresses with an embedded IPv4 address get no webhooks, even if they are in a range that the operator allows", {
  tags: "soak",
}, async () => {
  const user = await own.user("Olga");
  const { world } = await openShop(own, user);
  const base = `/api/programs/${world.programId}/webhooks`;
  const holders = ["[::1]", "[::7f00:1]"];
  for (const host of holders) {
    const made = await user.post<{ data: { id: number } }>(base, { url: "https://shop.example/" });
    const { id } = made.body.data;
    await world.change({ sql: "update webhooks set url = ? where id = ?", args: [`http://${host}:${port}/`, id] });
    await user.post(`${base}/${id}/example`, { type: "sale.recorded" });
    const { data } = await eventually(
      async () => (await user.get<Listed>(`${base}/${id}/deliveries?status=waiting`)).body,
      ({ data: [first] }) => (first?.attempts.length ?? 0) > 0,
    );
    expect(data[0]?.attempts[0]?.status).toBeNull();
  }
  expect(reached).toBe(0);
});

test("redirects of webhooks aren't followed, and a receiver that hangs or sends endlessly doesn't delay other receivers or sales", async () => {
  const user = await own.user("Olga");
  const { world, shop } = await openShop(own, user);
  const base = `/api/programs/${world.programId}/webhooks`;
  const create = async (path: string) => {
    const made = await user.post<{ data: { id: number } }>(base, { url: receiver.url(path), types: ["sale.recorded"] });
    await world.write({ sql: "update webhooks set proved_at = 1 where id = ?", args: [made.body.data.id] });
    return made;
  };
  receiver.answerWith("/redirects", (reply) => void reply.writeHead(307, { location: receiver.url("/target") }).end());
  receiver.answerWith("/hangs", () => undefined);
  receiver.answerWith("/talks", (reply) => {
    reply.writeHead(200);
    const more = () => {
      while (reply.writable && reply.write("x".repeat(65_536)));
      if (reply.writable) reply.once("drain", more);
    };
    more();
  });
  for (const path of ["/redirects", "/hangs", "/talks", "/works"]) expect((await create(path)).status).toBe(201);
  for (const transaction_id of ["t1", "t2", "t3", "t4"]) await shop.sell({ transaction_id, customer_key: "nobody" });
  const at = (path: string, count: number) =>
    eventually(
      async () => receiver.at(path),
      (events) => events.length >= count,
    );
  for (const path of ["/works", "/talks", "/redirects"]) await at(path, 4);
  expect(receiver.at("/hangs").length).toBeLessThanOrEqual(2);
  expect(receiver.at("/target")).toEqual([]);
});
