import { beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { isSignedBy, webhookReceiver } from "../support/webhook-receiver.ts";

const receiver = await webhookReceiver();
const own = isolatedService({ vars: receiver.vars });

let owner: User;
let viewer: User;
beforeAll(async () => {
  owner = await own.user("Olga");
  viewer = await own.user("Vera");
});

interface Webhook extends JsonObject {
  readonly id: number;
  readonly secret: string;
}
interface Delivery {
  readonly eventId: string;
  readonly status: string;
  readonly type: string;
  readonly seq: number | null;
  readonly attempts: { readonly status: number | null; readonly response: string }[];
}

let paths = 0;
/** A program with a webhook at a unique path. */
async function openShop({ answer, ...settings }: Readonly<Record<string, Json>> & { readonly answer?: number } = {}) {
  const members = [
    { user: owner, role: "owner" },
    { user: viewer, role: "viewer" },
  ] as const;
  const world = await own.world({ partners: [{}, {}], members: [...members] });
  const shop = salesFixture(programFixture(world, own.api()));
  paths += 1;
  const path = `/hook-${paths}`;
  if (answer !== undefined) receiver.answerWith(path, (reply) => void reply.writeHead(answer).end());
  const base = `/api/programs/${world.programId}/webhooks`;
  const made = await owner.post<{ data: Webhook }>(base, { url: receiver.url(path), ...settings });
  expect(made.status, made.text).toBe(201);
  const { data: webhook } = made.body;
  const one = `${base}/${webhook.id}`;
  const got = (count: number) =>
    eventually(
      async () => receiver.at(path),
      (events) => events.length >= count,
    );
  const examples = (count: number) =>
    eventually(
      async () => receiver.examplesAt(path),
      (events) => events.length >= count,
    );
  const deliveries = async (query = "") =>
    (await owner.get<{ data: Delivery[] }>(`${one}/deliveries${query}`)).body.data;
  const shown = async () => (await owner.get<{ data: JsonObject[] }>(base)).body.data[0];
  const proved = () => eventually(shown, (row) => row?.provedAt !== null);
  return { world, shop, path, base, one, webhook, got, examples, deliveries, shown, proved };
}

const feedOf = async ({ programId }: World, query = "") =>
  (await owner.get<{ data: { events: JsonObject[] } }>(`/api/programs/${programId}/feed${query}`)).body.data.events;

describe("a webhook", () => {
  test("a webhook receives each event of the feed since its creation, signed, with the feed's body", async () => {
    const { world, shop, path, webhook, got, deliveries, shown } = await openShop();
    expect(webhook).toMatchObject({ status: "active", types: null, testMode: false, description: "" });
    expect(webhook.secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await shop.refer("c1");
    await shop.sell({ transaction_id: "t1" });
    await got(3);
    const events = receiver.at(path);
    const feed = await feedOf(world);
    const bodies = events.map(({ body }) => JSON.parse(body)).toSorted((a, b) => a.seq - b.seq);
    expect(bodies).toEqual(feed.filter(({ type }) => type !== "partner.created"));
    for (const event of events) {
      expect(isSignedBy(webhook.secret, event)).toBe(true);
      expect(event.headers["webhook-id"]).toBe(event.id);
    }
    await eventually(shown, (row) => row?.lastSeq === row?.newestSeq);
    expect(await shown()).not.toHaveProperty("secret");
    const listed = (await deliveries()).filter(({ seq }) => seq !== null);
    const outcomes = listed.map(({ seq, status, attempts }) => [seq, status, attempts.map(({ status }) => status)]);
    expect(outcomes.toSorted()).toEqual(bodies.map(({ seq }) => [seq, "delivered", [204]]));
  });

  test("a failed delivery of a webhook is retried and shown with the receiver's response, and past events can be replayed", async () => {
    const { world, shop, path, one, got, deliveries, shown, proved } = await openShop({ types: ["sale.recorded"] });
    await proved();
    receiver.answerWith(path, (reply) => void reply.writeHead(500).end(`${"x".repeat(999)}😀`));
    await shop.sell({ transaction_id: "t1", customer_key: "nobody" });
    await got(1);
    const [waiting] = await eventually(
      () => deliveries("?status=waiting"),
      (rows) => rows.length === 1,
    );
    expect(waiting).toMatchObject({ type: "sale.recorded", attempts: [{ status: 500, response: "x".repeat(999) }] });
    receiver.answerWith(path, (reply) => void reply.writeHead(200).end("thank you"));
    const retried = await owner.post(`${one}/deliveries/${waiting?.eventId}/retry`, {});
    expect(retried.status).toBe(202);
    await got(2);
    await eventually(shown, (row) => row?.waiting === 0);
    expect((await deliveries())[0]).toMatchObject({
      status: "delivered",
      attempts: [
        { status: 500, response: "x".repeat(999) },
        { status: 200, response: "" },
      ],
    });

    const [sale] = await feedOf(world, "?types=sale.recorded");
    const again = await owner.post(`${one}/replay`, { fromSeq: 1, toSeq: 10_000 });
    expect(again.status).toBe(202);
    const events = await got(3);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([sale?.id]));
    expect((await owner.post(`${one}/replay`, { fromSeq: 1, toSeq: 10_001 })).status).toBe(400);
  });

  test("a webhook receives example events that aren't in the feed", async () => {
    const { world, one, webhook, examples, deliveries, proved } = await openShop({ testMode: true });
    await proved();
    const sent = await owner.post<{ data: { eventId: string } }>(`${one}/example`, { type: "commission.updated" });
    expect([sent.status, sent.body.data.eventId]).toEqual([202, expect.stringMatching(/^evt_example_/)]);
    const [, event] = await examples(2);
    expect(event).toMatchObject({
      ...{ id: sent.body.data.eventId, type: "commission.updated", test_mode: true },
      data: { object: { status: "approved", amount_cents: 980 }, previous: { status: "pending" } },
    });
    expect(event && isSignedBy(webhook.secret, event)).toBe(true);
    const [listed] = await eventually(deliveries, ([first]) => first?.status === "delivered");
    expect(listed).toMatchObject({ seq: null, status: "delivered" });
    expect(await feedOf(world, "?test_mode=true")).toEqual([]);
  });

  test("a webhook is signed with its new secret and, for a grace period, also with up to two former secrets", async () => {
    const { path, one, webhook, examples } = await openShop();
    await examples(1);
    const example = () => owner.post(`${one}/example`, { type: "sale.recorded" });
    const rotate = async (graceHours: number) =>
      (await owner.post<{ data: Webhook }>(`${one}/rotate`, { graceHours })).body.data.secret;
    const second = await rotate(24);
    await example();
    await examples(2);
    const third = await rotate(168);
    const fourth = await rotate(168);
    await example();
    await examples(3);
    const fifth = await rotate(0);
    await example();
    await examples(4);
    const signedBy = receiver
      .examplesAt(path)
      .slice(1)
      .map((event) => [webhook.secret, second, third, fourth, fifth].map((each) => isSignedBy(each, event)));
    expect(signedBy).toEqual([
      [true, true, false, false, false],
      [false, true, true, true, false],
      [false, false, false, false, true],
    ]);
  });

  test("a webhook receives no events while it is disabled, and doesn't receive the missed events once it is enabled again", async () => {
    const { world, shop, path, one, got, proved } = await openShop({ types: ["sale.recorded"] });
    await proved();
    const disabled = { status: "disabled", disabledBy: "member", disabledAt: expect.any(String) };
    expect((await owner.patch(one, { status: "disabled" })).body).toMatchObject({ data: disabled });
    expect((await owner.post(`${one}/example`, { type: "sale.recorded" })).status).toBe(409);
    await shop.sell({ transaction_id: "t1", customer_key: "nobody" });
    await owner.patch(one, { status: "active" });
    await shop.sell({ transaction_id: "t2", customer_key: "nobody" });
    await got(1);
    expect(receiver.at(path).map(({ data }) => data.object.transaction_id)).toEqual(["t2"]);
    expect((await feedOf(world)).map(({ type }) => type)).toContain("webhook.disabled");
    expect((await owner.delete(one)).status).toBe(200);
    expect((await owner.patch(one, { status: "active" })).status).toBe(404);
  });

  test("a webhook receives an example event first, and receives real events only once it has responded to an example with 2xx", async () => {
    const { shop, path, one, got, examples, deliveries, shown, webhook } = await openShop({
      answer: 500,
      types: ["commission.created", "sale.recorded"],
    });
    expect(webhook.provedAt).toBeNull();
    await shop.sell({ transaction_id: "t1", customer_key: "nobody" });
    await examples(1);
    expect(receiver.examplesAt(path)[0]?.type).toBe("commission.created");
    for (const call of ["replay", "deliveries/evt_example_1/retry"]) {
      const { status, body } = await owner.post(`${one}/${call}`, { fromSeq: 1, toSeq: 9 });
      expect([call, status, body.error.details?.code]).toEqual([
        ...(call === "replay" ? [call, 409, "webhook_unproved"] : [call, 404, undefined]),
      ]);
    }
    expect(await shown()).toMatchObject({ provedAt: null, waiting: 1, status: "active" });
    receiver.answerWith(path, (reply) => void reply.writeHead(204).end());
    expect((await owner.post(`${one}/example`, { type: "sale.recorded" })).status).toBe(202);
    await got(1);
    expect(receiver.at(path).map(({ data }) => data.object.transaction_id)).toEqual(["t1"]);
    const proved = await eventually(shown, (row) => row?.lastSeq === row?.newestSeq);
    expect(proved).toMatchObject({ provedAt: expect.any(String), waiting: 0 });
    expect((await deliveries()).filter(({ seq }) => seq !== null)).toHaveLength(1);

    const other = receiver.url(`${path}-other`);
    receiver.answerWith(`${path}-other`, (reply) => void reply.writeHead(500).end());
    const moved = await owner.patch<{ data: JsonObject }>(one, { url: other });
    expect(moved.body.data.provedAt).toBeNull();
    await shop.sell({ transaction_id: "t2", customer_key: "nobody" });
    await eventually(
      async () => receiver.examplesAt(`${path}-other`),
      (events) => events.length === 1,
    );
    expect(receiver.at(`${path}-other`)).toEqual([]);
    receiver.answerWith(`${path}-other`, (reply) => void reply.writeHead(204).end());
    await owner.post(`${one}/example`, { type: "sale.recorded" });
    await eventually(
      async () => receiver.at(`${path}-other`),
      (events) => events.length === 1,
    );
    expect(receiver.at(path)).toHaveLength(1);
  });

  test("viewers, the audit trail and the feed show only the host and the last four characters of a webhook's URL", async () => {
    const secret = "/services/T0/B0/secret-abcd";
    const { world, base, one } = await openShop();
    const url = `https://hooks.shop.example${secret}`;
    expect((await owner.patch<{ data: JsonObject }>(one, { url })).body.data.url).toBe(url);
    const listed = async (user: User) => (await user.get<{ data: JsonObject[] }>(base)).body.data[0]?.url;
    expect([await listed(owner), await listed(viewer)]).toEqual([url, "https://hooks.shop.example/…abcd"]);
    await owner.patch(one, { status: "disabled" });
    await owner.delete(one);
    const trail = JSON.stringify(await world.rows("select * from audit_entries where program_id = ?", world.programId));
    expect(trail).toContain("https://hooks.shop.example/…abcd");
    expect(trail + JSON.stringify(await feedOf(world))).not.toContain(secret);
  });

  test("a webhook needs an allowed URL, only an admin can change a webhook, and a program has at most ten webhooks", async () => {
    const { base, one } = await openShop();
    const refused = [
      ...["http://shop.example/", "https://10.0.0.1/", "https://intranet/", "https://a.internal/"],
      ...[
        "https://user:secret@shop.example/",
        "https://0x7f000002/",
        "https://2130706434/",
        "https://[::1]/",
        "ftp://shop.example/",
      ],
      ...[
        "https://printer.local/",
        "https://[::ffff:10.0.0.1]/",
        own.api().url,
        own.api().url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
        own.api().url.replace("127.0.0.1", "localhost"),
        "not an address",
      ],
    ];
    for (const url of refused) {
      const { status, body } = await owner.post(base, { url });
      expect([url, status, body.error.details.code]).toEqual([url, 400, "url_not_allowed"]);
    }
    for (const path of [base, `${one}/deliveries`]) expect((await viewer.get(path)).status).toBe(200);
    expect((await viewer.patch(one, { description: "mine" })).status).toBe(403);
    expect((await owner.post(base, { url: receiver.url("/x"), types: ["sale"] })).status).toBe(400);
    const made = await Promise.all(
      Array.from({ length: 10 }, () => owner.post(base, { url: "https://shop.example/webhooks" })),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(201), 409]);
  });
});
