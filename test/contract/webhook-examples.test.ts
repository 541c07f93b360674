import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
const own = isolatedService({ vars: receiver.vars, limits: {} });

interface Webhook {
  readonly id: number;
  readonly status: string;
  readonly provedAt: string | null;
}

async function open(user?: User) {
  const owner = user ?? (await own.user("Olga"));
  const world = await own.world({ members: [{ user: owner, role: "owner" }] });
  const base = `/api/programs/${world.programId}/webhooks`;
  const create = (url: string) => owner.post<{ data: Webhook }>(base, { url });
  return { owner, world, base, create };
}
const hostOf = () => `https://${randomUUID()}.example`;
const counted = (replies: readonly Reply<unknown>[]) =>
  Object.fromEntries(
    [...Map.groupBy(replies, ({ status }) => status)].map(([status, those]) => [status, those.length]),
  );

test("a program can send at most 20 example events an hour to webhook URLs that never responded, whatever calls cause the examples", async () => {
  const { owner, base, create } = await open();
  const made = await create(`${hostOf()}/0`);
  const { id } = made.body.data;
  const replies: Reply<unknown>[] = [made];
  for (let i = 1; i < 10; i += 1) {
    replies.push(await owner.patch(`${base}/${id}`, { url: `${hostOf()}/${i}` }));
    replies.push(await owner.post(`${base}/${id}/example`, { type: "sale.recorded" }));
  }
  replies.push(await owner.patch(`${base}/${id}`, { status: "disabled" }));
  replies.push(await owner.patch(`${base}/${id}`, { status: "active" }));
  expect(counted(replies)).toEqual({ 200: 11, 201: 1, 202: 9 });
  const refused = [
    await create(hostOf()),
    await owner.patch(`${base}/${id}`, { url: hostOf() }),
    await owner.post(`${base}/${id}/example`, { type: "sale.recorded" }),
  ];
  expect(counted(refused)).toEqual({ 429: 3 });
  for (const { headers } of refused) expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  // A change that sends no example isn't limited.
  expect((await owner.patch(`${base}/${id}`, { description: "the same address" })).status).toBe(200);
  expect((await owner.patch(`${base}/${id}`, { status: "disabled", url: hostOf() })).status).toBe(200);
});

const anyIp = () => `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;

/** Creates a program that sends up to 20 examples to one host. */
async function fill(host: string, owner: User, ip: () => string): Promise<Reply<unknown>[]> {
  const { base } = await open(owner);
  const made = await owner.post<{ data: Webhook }>(base, { url: `${host}/` }, { ip: ip() });
  const replies: Reply<unknown>[] = [made];
  for (let i = 1; i < 20 && made.status === 201; i += 1)
    replies.push(await owner.patch(`${base}/${made.body.data.id}`, { url: `${host}/${i}` }, { ip: ip() }));
  return replies;
}

test("a user can send at most 40 webhook examples an hour across their programs", async () => {
  const host = hostOf();
  const eve = await own.user("Eve");
  const replies = [
    ...(await fill(host, eve, anyIp)),
    ...(await fill(host, eve, anyIp)),
    ...(await fill(host, eve, anyIp)),
  ];
  expect(counted(replies)).toEqual({ 200: 38, 201: 2, 429: 1 });
  expect(counted(await fill(host, await own.user("Olga"), anyIp))).toEqual({ 200: 19, 201: 1 });
});

test("a client IP address can send at most 60 webhook examples an hour, and other IP addresses aren't limited by this", async () => {
  const host = hostOf();
  const ip = anyIp();
  const replies: Reply<unknown>[] = [];
  for (let i = 0; i < 4; i += 1) replies.push(...(await fill(host, await own.user(`Eve ${i}`), () => ip)));
  expect(counted(replies)).toEqual({ 200: 57, 201: 3, 429: 1 });
  const others: Reply<unknown>[] = [];
  for (let i = 0; i < 3; i += 1) others.push(...(await fill(host, await own.user("Olga"), anyIp)));
  expect(counted(others)).toEqual({ 200: 57, 201: 3 });
});

test("webhook examples to a URL that has responded aren't limited", async () => {
  const { owner, base, create } = await open();
  const { id } = (await create(receiver.url("/answers"))).body.data;
  const shown = async () => (await owner.get<{ data: Webhook[] }>(base)).body.data[0];
  await eventually(shown, (row) => row?.provedAt !== null);
  const replies: Reply<unknown>[] = [];
  for (let i = 0; i < 25; i += 1) replies.push(await owner.post(`${base}/${id}/example`, { type: "sale.recorded" }));
  expect(counted(replies)).toEqual({ 202: 25 });
});

test.each(["another example", "another URL"])(
  "a webhook disabled because its first example failed is enabled by %s",
  async (by) => {
    const { owner, world, base, create } = await open();
    const path = `/again-${randomUUID()}`;
    receiver.answerWith(path, (reply) => void reply.writeHead(500).end());
    const { id } = (await create(receiver.url(path))).body.data;
    await world.write(
      `update webhooks set status = 'disabled', disabled_by = 'failures', disabled_at = 1, proved_at = null where id = ${id}`,
      `update webhook_deliveries set due_at = null, failed_at = 1 where webhook_id = ${id}`,
    );
    receiver.answerWith(path, (reply) => void reply.writeHead(204).end());
    const asked = await (by === "another example"
      ? owner.post(`${base}/${id}/example`, { type: "sale.recorded" })
      : owner.patch(`${base}/${id}`, { url: receiver.url(`${path}-2`) }));
    expect(asked.status, asked.text).toBeLessThan(300);
    const shown = async () => (await owner.get<{ data: Webhook[] }>(base)).body.data[0];
    const proved = await eventually(shown, (row) => row?.provedAt !== null);
    expect(proved).toMatchObject({ status: "active" });
  },
);

test("a member who is removed while creating a webhook or rotating its secret doesn't receive the secret", async () => {
  const leaving = await own.user("Leaving");
  const { owner, world, base } = await open();
  await world.write({
    sql: "insert into memberships (id, workspace_id, user_id, role, status, created_at) values (?, ?, ?, 'owner', 'active', 0)",
    args: [randomUUID(), world.workspaceId, leaving.userId],
  });
  const { id } = (await owner.post<{ data: Webhook }>(base, { url: hostOf() })).body.data;
  await world.write(
    `create trigger removes_meanwhile after insert on webhook_secrets when new.program_id = ${world.programId}
      begin update memberships set status = 'suspended' where user_id = '${leaving.userId}'; end`,
  );
  const asked = [() => leaving.post(base, { url: hostOf() }), () => leaving.post(`${base}/${id}/rotate`, {})];
  for (const ask of asked) {
    await world.write({ sql: "update memberships set status = 'active' where user_id = ?", args: [leaving.userId] });
    const answer = await ask();
    expect([answer.status, answer.text.includes("whsec_")]).toEqual([403, false]);
  }
  await world.write("drop trigger removes_meanwhile");
});
