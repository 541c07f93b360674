import { beforeAll, describe, expect, test } from "vitest";
import { shardOf } from "#domain/shard.ts";
import type { Json, Reply } from "../../harness/client.ts";
import { builtDocument, type DocumentName } from "../../harness/openapi.ts";
import type { User } from "../../harness/session.ts";
import { sampled } from "../support/breadth.ts";
import { eventually } from "../support/isolated-service.ts";
import { shardedService } from "../support/sharded-service.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = shardedService("weur");

interface Data<T> {
  readonly data: T;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Read }>>;
}
interface Read {
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string }[];
}

/** The program's ids that a path may contain. */
interface Shop {
  readonly key: string;
  readonly named: Readonly<Record<string, string | number>>;
}

interface Route {
  readonly path: string;
  /** True if the route can also return a file. */
  readonly hasFormat: boolean;
  readonly isKeyed: boolean;
}

function readsOf(name: DocumentName): readonly Route[] {
  return Object.entries((builtDocument(name) as Document).paths).flatMap(([path, { get }]) =>
    get === undefined
      ? []
      : {
          path,
          hasFormat: get.parameters?.some(({ name }) => name === "format") ?? false,
          isKeyed: get.security.some((scheme) => "programKey" in scheme),
        },
  );
}

const bySession = readsOf("session").filter(({ path }) => path.includes("{programId}"));
const byPartner = readsOf("partner").filter(({ path }) => path.includes("{programId}"));
const byKey = readsOf("tracking").filter(({ isKeyed }) => isKeyed);

/** Queries for routes that require a query parameter. */
const questions: Readonly<Record<string, readonly string[]>> = {
  "/api/tracking/explain/{programId}": [
    "?clickId={clickId}",
    "?leadId={leadId}",
    "?saleId={saleId}",
    "?commissionId={commissionId}",
    "?transactionId=t1",
    "?transactionId=t1&refundId=r1",
    "?customerKey=u1",
  ],
  "/api/tracking/search/{programId}": ["?q=t1", "?q=u1", "?q=Anna"],
  "/api/programs/{programId}/partners/{partnerId}/day-entries": [`?day=${new Date().toISOString().slice(0, 10)}`],
  "/api/programs/{programId}/partners/{partnerId}/missing-sale": [`?day=${new Date().toISOString().slice(0, 10)}`],
  "/api/programs/{programId}/risk/track-records": ["?partnerIds={partnerId}"],
  "/api/programs/{programId}/export": ["?kind=partners", "?kind=customers"],
  "/api/programs/{programId}/performance": ["?groupBy=code"],
  "/api/v1/programs/me/export": ["?kind=partners", "?kind=customers"],
  "/api/v1/programs/me/performance": ["?group_by=code"],
  "/api/v1/programs/me/offer": ["?customer_key=u1"],
  "/api/v1/programs/me/explain": [
    "?transaction_id=t1",
    "?transaction_id=t1&refund_id=r1",
    "?click_id={clickId}",
    "?customer_key=u1",
  ],
};

/** The lines of a payout can only be listed if it is settled by API. */
const others: Readonly<Record<string, string>> = {
  "/api/v1/programs/me/payouts/{payoutId}/lines": "/api/v1/programs/me/payouts/{apiPayoutId}/lines",
};

const addressesOf = ({ path, hasFormat }: Route): readonly string[] =>
  (questions[path] ?? ["", ...(hasFormat ? ["?format=csv"] : [])]).map((query) => (others[path] ?? path) + query);

let owner: User;
let account: User;
let shops: readonly Shop[] = [];
beforeAll(async () => {
  [owner, account] = [await own.user("Grace Hopper"), await own.user("Anna")];
  // The first program is created in home, which has the lowest number of the open shards without programs.
  const [atHome, elsewhere] = [await openShop(), await openShop({ location: "weur" })];
  expect([atHome, elsewhere].map(({ named }) => shardOf(Number(named.programId)))).toEqual([0, 1]);
  shops = [atHome, elsewhere];
});

async function succeeds<Body>(call: Promise<Reply<Body>>): Promise<Body> {
  const { status, text, body } = await call;
  expect(status, text).toBeLessThan(300);
  return body;
}

/** Opens a program with a group and a partner who has a click, a lead, a partly refunded sale, and two payouts. */
async function openShop(more: Readonly<Record<string, Json>> = {}): Promise<Shop> {
  const send = async <T>(path: string, body: Json) => (await succeeds(owner.post<Data<T>>(path, body))).data;
  const { id: workspaceId } = await send<{ id: string }>("/api/workspaces", { name: "Shop" });
  const settings = { workspaceId, name: "Shop", currency: "EUR", websiteUrl: "https://shop.example" };
  const { id, apiToken: key } = await send<{ id: number; apiToken: string }>("/api/programs", { ...settings, ...more });
  const path = `/api/programs/${id}`;
  const code = uniqueWord("c");
  const partner = await send<{ id: number }>(`${path}/partners`, { name: "Anna", code, email: "anna@shop.example" });
  const invitation = await send<{ inviteUrl: string }>(`${path}/partners/${partner.id}/invitations`, {});
  const token = new URLSearchParams(invitation.inviteUrl.split("?")[1]).get("token") ?? "";
  await succeeds(account.post("/api/partner/invitations/accept", { token }));
  const policy = { type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 };
  await succeeds(owner.put(`${path}/commission-policy`, policy));

  const api = own.api();
  const visit = { affiliate_url: `https://shop.example/?aff=${code}`, program_id: id };
  const { click_id } = await succeeds(api.click(visit, { browser: true }));
  const lead = await succeeds(api.lead({ click_id, customer_key: "u1" }, { key }));
  const sold = { transaction_id: "t1", amount_cents: 4_900, customer_key: "u1" };
  const sale = await succeeds(api.sale(sold, { key }));
  await succeeds(api.refund({ transaction_id: "t1", refund_amount_cents: 900, refund_id: "r1" }, { key }));
  const webhook = await send<{ id: number }>(`${path}/webhooks`, { url: "https://shop.example/webhooks" });
  // The example event fails once. Further attempts would fail at different times on the two shards.
  await eventually(
    async () => (await owner.get<Data<{ failingSince: string | null }[]>>(`${path}/webhooks`)).body.data[0],
    (row) => row?.failingSince !== null,
    30_000,
  );
  await succeeds(owner.patch(`${path}/webhooks/${webhook.id}`, { status: "disabled" }));
  const payout = await send<{ id: number }>(`${path}/payouts`, { currency: "EUR" });
  await send(`${path}/payouts/${payout.id}/confirm`, { expectedTotalCents: 800, note: "by bank" });
  await succeeds(api.sale({ transaction_id: "t3", amount_cents: 1_000, customer_key: "u1" }, { key }));
  const byApi = await send<{ id: number }>(`${path}/payouts`, { currency: "EUR", settledBy: "api" });
  await send(`${path}/payouts/${byApi.id}/finalize`, { expectedTotalCents: 200 });
  const group = await send<{ id: number }>(`${path}/groups`, { name: "Bloggers" });
  await succeeds(api.sale({ transaction_id: "t2", amount_cents: 900, customer_key: "u2" }, { key }));
  const { receiptId } = await send<{ receiptId: string }>(`${path}/privacy/erase`, {
    customerKey: "u2",
    confirm: true,
  });
  return {
    key,
    named: {
      ...{ programId: id, partnerId: partner.id, payoutId: payout.id, apiPayoutId: byApi.id, groupId: group.id },
      ...{ clickId: click_id, leadId: lead.lead_id },
      ...{
        saleId: sale.sale_id,
        commissionId: sale.commission_id,
        webhookId: webhook.id,
        receiptId,
        requestId: receiptId,
      },
    },
  };
}

/** Replaces ids in the path. A path with an unknown name keeps it, and so reaches no route. */
const filled = (address: string, { named }: Shop) =>
  address.replaceAll(/\{(\w+)\}/g, (name, inner: string) => String(named[inner] ?? name));

/**
 * Returns the keys at every depth, the length of lists, and which values are null. For a file, returns its first line
 * and the number of lines.
 */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== "object") return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
const seen = ({ status, text, body }: Reply<unknown>) => {
  const lines = text.split("\n");
  return { status, shape: body === undefined ? [lines[0], lines.length] : shapeOf(body) };
};

async function expectSame(address: string, read: (shop: Shop) => Promise<Reply<unknown>>): Promise<void> {
  const [atHome, elsewhere] = (await Promise.all(shops.map(read))).map(seen);
  expect(atHome?.status, address).toBe(200);
  expect(elsewhere, address).toEqual(atHome);
}

describe("a program on another shard compared with a program on the home shard", () => {
  test.each(sampled(bySession, 12))("GET $path returns the same on another shard", async (route) => {
    for (const address of addressesOf(route)) await expectSame(address, (shop) => owner.get(filled(address, shop)));
  });

  test.each(sampled(byPartner, 4))("GET $path of a partner returns the same on another shard", async (route) => {
    for (const address of addressesOf(route)) await expectSame(address, (shop) => account.get(filled(address, shop)));
  });

  test.each(sampled(byKey, 6))("GET $path with a key returns the same on another shard", async (route) => {
    for (const address of addressesOf(route)) {
      await expectSame(address, (shop) => own.api().request("GET", filled(address, shop), { key: shop.key }));
    }
  });
});
