import { beforeAll, expect, test } from "vitest";
import { dateUtc } from "#domain/calendar.ts";
import { eventTypes } from "#domain/event-type.ts";
import type { JsonObject, Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { partnerSide } from "../support/partner-side.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = isolatedService();

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

const taken = async <Body>(call: Promise<Reply<Body>>): Promise<Body> => {
  const { status, text, body } = await call;
  expect([200, 201, 202], text).toContain(status);
  return body;
};

type Created = { readonly data: { readonly id: number } };

const openWorld = () =>
  own.world({
    members: [{ user: owner, role: "owner" }],
    partners: [
      { name: "Secret Anna", code: uniqueWord("secret-anna-") },
      { name: "Secret Ben", code: uniqueWord("secret-ben-") },
    ],
    policies: [{ holdDays: 0 }],
    keys: [{}, { scopes: ["read", "settle"] }],
  });

/** Fills the feed with an event of each type except `feed.restarted`. */
async function fillFeed(world: World): Promise<void> {
  const shop = salesFixture(programFixture(world, own.api()));
  const { alice: anna, bob: ben } = shop;
  const base = `/api/programs/${world.programId}`;
  const keyed = { customer_key: "secret-customer" };
  await shop.browserLead({ ...keyed, click_id: (await shop.visit()).click_id });
  await shop.sell({ ...keyed, transaction_id: "secret-moved" });
  await shop.refer("secret-customer", { partner: ben, clickAt: Date.now() });
  await shop.sell({ ...keyed, transaction_id: "secret-sale", amount_cents: 100_000 });
  await shop.giveBack("secret-sale", { refund_id: "secret-refund", refund_amount_cents: 100 });
  await shop.giveBack("secret-sale", { refund_id: "secret-refund", cancel: true });

  const payouts = `${base}/payouts`;
  const create = async () => (await taken(owner.post<Created>(payouts, { currency: "EUR" }))).data.id;
  const canceled = await create();
  await taken(owner.post(`${payouts}/${canceled}/finalize`, {}));
  await taken(owner.post(`${payouts}/${canceled}/cancel`, {}));
  const paid = await create();
  await taken(owner.post(`${payouts}/${paid}/finalize`, {}));
  await taken(owner.post(`${payouts}/${paid}/confirm`, {}));
  await taken(owner.post(`${payouts}/${paid}/lines/${ben.id}/fail`, { reason: "account closed" }));
  const settled = (await taken(owner.post<Created>(payouts, { currency: "EUR", settledBy: "api" }))).data.id;
  await taken(owner.post(`${payouts}/${settled}/finalize`, {}));
  const lines = `/api/v1/programs/me/payouts/${settled}/lines`;
  const [, key] = world.keys;
  const { body } = await own.api().request<{ data: { line_id: number }[] }>("GET", lines, { key });
  const settlement = { settlement_id: "secret-settlement" };
  await taken(own.api().request("POST", `${lines}/${body.data[0]?.line_id}/settle`, { key, body: settlement }));

  const cora = { name: "Secret Cora", code: `secret-cora-${world.programId}` };
  const { data: made } = await taken(owner.post<Created>(`${base}/partners`, cora));
  const claimant = await own.user("Cora");
  await taken(claimant.post(`${await partnerSide(world, claimant, made.id)}/claims`, { day: dateUtc(Date.now()) }));
  await taken(owner.patch(`${base}/partners/${anna.id}`, { name: "Secret Ada" }));
  const slug = `shop-${world.programId}`;
  await taken(owner.post(`${base}/terms`, { text: "Be kind." }));
  await taken(owner.put(`${base}/join`, { mode: "approval", slug, headline: "Join", description: "", questions: [] }));
  const application = { name: "Secret Dora", website: "https://secret-dora.example", answers: {}, termsVersion: 1 };
  await taken((await own.user("Dora")).post(`/api/join/${slug}`, application));

  const webhook = { url: "https://secret-hook.example/T0/B0" };
  const { id } = (await taken(owner.post<Created>(`${base}/webhooks`, webhook))).data;
  await taken(owner.patch(`${base}/webhooks/${id}`, { status: "disabled" }));
}

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly data: { readonly object: JsonObject };
}

const feedOf = async ({ programId }: World) =>
  (await taken(owner.get<{ data: { events: Event[] } }>(`/api/programs/${programId}/feed?limit=500`))).data.events;

test("an event shows no data of another program, even if its ids refer to rows of another program", async () => {
  const [mine, other] = [await openWorld(), await openWorld()];
  await fillFeed(other);
  const events = await feedOf(other);
  const told = new Map(events.map((event) => [event.type, JSON.stringify(event.data).toLowerCase()]));
  expect([...told.keys()].toSorted()).toEqual(eventTypes.filter((type) => type !== "feed.restarted").toSorted());
  const secrets = /secret|payout-[0-9a-f]{8}/;
  for (const [type, text] of told) expect(text, type).toMatch(secrets);

  await mine.write({
    sql: `insert into events (program_id, is_test, seq, at, batch, type, subject, before, after)
      select ?, is_test, seq + 1000, at, batch, type, subject, before, after from events where program_id = ?`,
    args: [mine.programId, other.programId],
  });
  const copied = (await feedOf(mine)).filter(({ seq }) => seq > 1_000);
  expect(copied).toHaveLength(events.length);
  for (const { type, data } of copied) expect(JSON.stringify(data).toLowerCase(), type).not.toMatch(secrets);
});
