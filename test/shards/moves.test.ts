import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { mintProgramKey } from "#domain/program-key.ts";
import { idsPerRange } from "#domain/shard.ts";
import type { Json } from "../../harness/client.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { withClient } from "../../scripts/database/client.ts";
import { abandonMove, beginMove, moveProgram, StepRefused } from "../../scripts/shards/mover.ts";
import { bookTables, otherTables } from "../../scripts/shards/tables.ts";
import { shardedService } from "../support/sharded-service.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = shardedService("weur", "enam");

let owner: User;
beforeAll(async () => {
  owner = await own.user("Grace Hopper");
});

interface Data<T> {
  readonly data: T;
}

async function shopAt(location: "weur" | "enam") {
  const workspaceId = (await owner.post<Data<{ id: string }>>("/api/workspaces", { name: "Shop" })).body.data.id;
  const made = await owner.post<Data<{ id: number; apiToken: string }>>("/api/programs", {
    ...{ workspaceId, name: "Shop", currency: "EUR", websiteUrl: "https://shop.example", location },
  });
  expect(made.status, made.text).toBe(201);
  const { id, apiToken: key } = made.body.data;
  const code = uniqueWord("c");
  await owner.post(`/api/programs/${id}/partners`, { name: "Anna", code });
  await owner.put(`/api/programs/${id}/commission-policy`, {
    ...{ type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 0 },
  });
  const api = own.api();
  const click = (more: Json = {}) =>
    api.click(
      { affiliate_url: `https://shop.example/?aff=${code}`, program_id: id, ...(more as object) },
      { browser: true },
    );
  const sell = (transaction_id: string, customer_key: string) =>
    api.sale({ transaction_id, amount_cents: 4_900, customer_key }, { key });
  const refer = async (customer_key: string) => {
    const { body } = await click();
    return api.lead({ click_id: body.click_id, customer_key }, { key });
  };
  return { id, key, code, api, click, sell, refer, workspaceId };
}
type Shop = Awaited<ReturnType<typeof shopAt>>;

async function fill({ id, refer, sell, api, key }: Shop) {
  for (const n of [1, 2, 3]) {
    await refer(`u${n}`);
    await sell(`t${n}`, `u${n}`);
  }
  await api.refund({ transaction_id: "t1", refund_amount_cents: 900, refund_id: "r1" }, { key });
  const draft = await owner.post<Data<{ id: number }>>(`/api/programs/${id}/payouts`, { currency: "EUR" });
  await owner.post(`/api/programs/${id}/payouts/${draft.body.data.id}/confirm`, { expectedTotalCents: 2_760 });
  await sell("t4", "u1");
}

const move = async ({ id }: Shop, to: number) => moveProgram(own.places, await beginMove(own.places, id, to));

async function audit(shard: number, { id }: Shop) {
  return withClient({ url: own.databases[shard]?.url ?? "" }, (client) => auditLedger(client, { programId: id }));
}

const placeAt = async (shard: number, { id }: Shop) =>
  (await own.rows(shard, "select place from programs where id = ?", id))[0]?.place;

/** Returns everything that the owner sees of the program. */
async function seen({ id }: Shop) {
  const paths = [
    `/api/programs/${id}/commissions`,
    `/api/programs/${id}/balances`,
    `/api/programs/${id}/payouts`,
    `/api/programs/${id}/partners`,
    `/api/programs/${id}/audit`,
    `/api/tracking/events/${id}`,
    `/api/tracking/performance/${id}`,
    `/api/tracking/status/${id}`,
  ];
  const replies = await Promise.all(paths.map((path) => owner.get(path)));
  return replies.map(({ status, text }) => [status, text.replace(/"lastUpdated":"[^"]*"/, "")]);
}

test("every table is copied with a program, or listed as an exception", async () => {
  const tables = await own.rows(0, "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'");
  const known = new Set(["programs", ...bookTables.map(({ name }) => name), ...otherTables]);
  expect(tables.map(({ name }) => String(name)).sort()).toEqual([...known].sort());
});

describe("a program that is being migrated", () => {
  test("a migrated program looks the same to its owner, answers repeated calls as before, and continues to earn commissions", async () => {
    const shop = await shopAt("weur");
    await fill(shop);
    const before = await seen(shop);
    const first = await shop.sell("t2", "u2");
    await move(shop, 2);

    expect(await seen(shop)).toEqual(before);
    const again = await shop.sell("t2", "u2");
    expect(again.status).toBe(409);
    expect(again.body.error.details).toEqual(first.body.error.details);
    expect([await placeAt(1, shop), await placeAt(2, shop)]).toEqual(["left", "here"]);
    expect(await audit(2, shop)).toEqual([]);

    const sale = await shop.sell("t5", "u3");
    expect(sale.body.commission.amount_cents).toBe(980);
    expect(
      await own.rows(2, "select id from sales where program_id = ? and transaction_id = 't5'", shop.id),
    ).toHaveLength(1);
    expect((await shop.refer("u9")).body.attributed).toBe(true);
    expect(await audit(2, shop)).toEqual([]);
    const { data } = (await owner.get<Data<{ id: number }[]>>(`/api/programs?workspaceId=${shop.workspaceId}`)).body;
    expect(data.map(({ id }) => id)).toEqual([shop.id]);
  });

  test("a program that is migrated from shard to shard gets increasing ids that no other shard uses", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("enam");
    const ids: number[] = [];
    for (const [n, to] of [1, 0, 2, 1].entries()) {
      ids.push((await shop.sell(`t${n}`, "u1")).body.sale_id);
      await move(shop, to);
      ids.push((await shop.sell(`t${n}b`, "u1")).body.sale_id);
    }
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    const given = await own.rows(0, "select range, shard from id_ranges");
    for (const id of ids) {
      const range = Math.floor(id / idsPerRange);
      expect(range < 3 || given.some((each) => Number(each.range) === range), String(id)).toBe(true);
    }
    expect(await audit(1, shop)).toEqual([]);
  });

  test("a program that is being migrated has in its request log exactly its own calls from before, during and after the migration, once each", async () => {
    const [shop, other] = [await shopAt("weur"), await shopAt("weur")];
    const before = await shop.sell("before", "u1");
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 30_000);
    const amid = await Promise.all(["amid", "before"].map((transaction) => shop.sell(transaction, "u1")));
    expect(amid.map(({ status }) => status)).toEqual([503, 503]);
    await moveProgram(own.places, begun);
    const after = [await shop.sell("after", "u1")];
    while (after.at(-1)?.status === 503) {
      await delay(500);
      after.push(await shop.sell("after", "u1"));
    }
    const replies = [before, ...amid, ...after];
    const sent = replies.map(({ headers }) => headers.get("x-request-id")).sort();
    expect(new Set(sent).size).toBe(replies.length);

    const seenByOwner = async ({ id }: Shop) =>
      (await owner.get<Data<{ requestId: string }[]>>(`/api/programs/${id}/requests`)).body.data;
    const seenByKey = async ({ api, key }: Shop) =>
      (await api.request<Data<{ request_id: string }[]>>("GET", "/api/v1/programs/me/requests", { key })).body.data;
    await expect.poll(async () => (await seenByOwner(shop)).map(({ requestId }) => requestId).sort()).toEqual(sent);
    expect((await seenByKey(shop)).map(({ request_id }) => request_id).sort()).toEqual(sent);
    expect([await seenByOwner(other), await seenByKey(other)]).toEqual([[], []]);
  });

  test("a program that is being migrated has its clicks kept during the freeze, and stored once each afterwards", async () => {
    const shop = await shopAt("weur");
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 30_000);
    const clicks = await Promise.all([1, 2, 3].map((n) => shop.click({ event_id: `e${n}` })));
    const byCode = { affiliate_url: `https://shop.example/?aff=${shop.code}`, event_id: "by code" };
    expect((await shop.api.click(byCode, { browser: true })).status).toBe(200);
    const noCode = { affiliate_url: "https://shop.example/?aff=nobody", program_id: shop.id };
    const notKept = await shop.api.click(noCode, { browser: true });
    expect([notKept.status, notKept.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(clicks.map(({ status }) => status)).toEqual([200, 200, 200]);
    const again = await shop.click({ event_id: "e1" });
    expect(again.body.click_id).toBe(clicks[0]?.body.click_id);
    expect(await own.rows(1, "select id from clicks where program_id = ?", shop.id)).toEqual([]);

    await moveProgram(own.places, begun);
    const stored = "select event_id from clicks where program_id = ? order by event_id";
    await expect
      .poll(async () => (await own.rows(2, stored, shop.id)).map(({ event_id }) => event_id))
      .toEqual(["by code", "e1", "e2", "e3"]);
    expect(await own.rows(1, "select id from clicks where program_id = ?", shop.id)).toEqual([]);
    const lead = () => shop.api.lead({ click_id: again.body.click_id, customer_key: "u1" }, { key: shop.key });
    await expect.poll(async () => (await lead()).body.attributed).toBe(true);
  });

  test("a program that is being migrated refuses calls with 503 until the migration is over, and still shows its pages", async () => {
    const shop = await shopAt("weur");
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 60_000);
    const wrong = { key: mintProgramKey(shop.id, new Uint8Array(32)) };
    const sellBy = (by: { key: string }) =>
      shop.api.sale({ transaction_id: "t1", amount_cents: 100, customer_key: "u1" }, by);
    expect((await sellBy(wrong)).status).toBe(401);
    const refused = await shop.sell("t1", "u1");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    // Only the Ledger checks keys, so a wrong key gets 503 too.
    expect((await sellBy(wrong)).status).toBe(503);
    await expect.poll(async () => (await sellBy(wrong)).status).toBe(401);
    expect((await owner.get(`/api/programs/${shop.id}`)).status).toBe(200);
    expect((await owner.patch(`/api/programs/${shop.id}`, { name: "Other" })).status).toBe(503);
    await moveProgram(own.places, begun);
    await expect.poll(async () => (await shop.sell("t1", "u1")).status).toBe(200);
  });

  test("a program that is being migrated stays on its shard if the migration is abandoned, with the clicks recorded meanwhile", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("enam");
    await fill(shop);
    const begun = await beginMove(own.places, shop.id, 1);
    await own.places.step("freeze", begun, 30_000);
    await shop.click({ event_id: "kept" });
    await abandonMove(own.places, begun);

    expect((await shop.sell("t9", "u2")).status).toBe(200);
    await expect
      .poll(() => own.rows(2, "select event_id from clicks where program_id = ? and event_id = 'kept'", shop.id))
      .toHaveLength(1);
    expect(await placeAt(1, shop)).toBe("left");
    expect(await own.rows(1, "select id from sales where program_id = ?", shop.id)).toEqual([]);
    expect(await audit(2, shop)).toEqual([]);
    await expect(own.places.step("leave", begun, 0)).rejects.toThrow(StepRefused);
    await move(shop, 1);
    expect((await shop.sell("t10", "u2")).status).toBe(200);
  });

  test("a program that is being migrated stays on its shard if the command dies before the program has left", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("weur");
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 500);
    await expect.poll(() => placeAt(1, shop)).toBe("here");
    expect((await shop.sell("t1", "u1")).status).toBe(200);
    await expect(own.places.step("leave", begun, 0)).rejects.toThrow(StepRefused);
    await moveProgram(own.places, begun);
    expect((await shop.sell("t2", "u1")).status).toBe(200);
    expect(await placeAt(2, shop)).toBe("here");
  });

  test("a program that is migrated during a day counts a visitor only once that day, even with clicks on both shards", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("weur");
    const visit = { session_id: "same visitor" };
    await shop.click(visit);
    await move(shop, 2);
    await shop.click(visit);
    const metrics = async () =>
      (
        await owner.get<{ metrics: { totalClicks: number; totalUniqueClicks: number } }>(
          `/api/tracking/performance/${shop.id}`,
        )
      ).body.metrics;
    expect(await metrics()).toMatchObject({ totalClicks: 2, totalUniqueClicks: 1 });
  });

  test("a program that is migrated is found by a partner's code without a program id, on any shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("enam");
    for (const to of [0, 1, 0, 2]) {
      await move(shop, to);
      const click = await shop.api.click(
        { affiliate_url: `https://shop.example/?aff=${shop.code}` },
        { browser: true },
      );
      expect(click.status, `${to}: ${click.text}`).toBe(200);
      expect(await own.rows(to, "select id from clicks where click_id = ?", click.body.click_id)).toHaveLength(1);
    }
  });

  test("a program's former shard detects that the program has left, even after a restore that lost the migration", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("weur");
    await shop.sell("t1", "u1");
    const [, source] = own.databases;
    const copy = await source?.backup();
    await move(shop, 2);
    await shop.sell("t2", "u1");
    await source?.restore(copy ?? "");
    expect(await placeAt(1, shop)).toBe("here");

    // Without a cached hint, a call asks the source shard first.
    const other = await shopAt("weur");
    expect((await other.sell("t", "u")).status).toBe(200);
    await expect.poll(() => placeAt(1, shop)).toBe("left");
    expect((await shop.sell("t2", "u1")).status).toBe(409);
    expect((await owner.get(`/api/programs/${shop.id}`)).status).toBe(200);
  });

  test("a migrated program's commissions are approved by its new shard when their hold ends, and not by the former shard", async () => {
    const shop = await shopAt("weur");
    const policy = { type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 15 };
    await owner.put(`/api/programs/${shop.id}/commission-policy`, policy);
    await shop.refer("u1");
    await shop.sell("t1", "u1");
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 30_000);
    const source = openDatabaseClient(own.databases[1]?.url ?? "");
    await source.execute({ sql: "update commissions set hold_until = 1 where program_id = ?", args: [shop.id] });

    // The hold of another program makes the source shard look for ended holds.
    const other = await shopAt("weur");
    await owner.put(`/api/programs/${other.id}/commission-policy`, policy);
    await other.refer("u1");
    await other.sell("t1", "u1");
    const statusAt = async (shard: number) =>
      (await own.rows(shard, "select status from commissions where program_id = ?", shop.id))[0]?.status;
    await moveProgram(own.places, begun);
    await expect.poll(() => statusAt(2)).toBe("approved");
    expect(await statusAt(1)).toBe("pending");
  });

  test("a program can be migrated even if it has more text than fits into one response of a database server", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt("weur");
    const source = openDatabaseClient(own.databases[1]?.url ?? "");
    await source.execute({
      sql: `insert into notes (id, program_id, kind, subject, text)
        with recursive series (i) as (select 1 union all select i + 1 from series where i < 600)
        select ?1 + 10000 + i, ?1, 'reason', 'partner 1', printf('%.20000c', 'x') from series`,
      args: [shop.id],
    });
    await move(shop, 2);
    const [kept] = await own.rows(
      2,
      "select count(*) as n from notes where program_id = ? and length(text) = 20000",
      shop.id,
    );
    expect(kept?.n).toBe(600);
  });
});
