/** @module-tag soak */
import { describe, expect, test } from "vitest";
import { databaseAt } from "../../harness/database-client.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { prepareAllRestored } from "../../scripts/database/prepare-restored.ts";
import { copyProgram } from "../../scripts/shards/arrive.ts";
import { copyBooks } from "../../scripts/shards/copy.ts";
import { abandonMove, beginMove, moveProgram } from "../../scripts/shards/mover.ts";
import { type Data, movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { owner, clientOf, execute, shopAt, move, placeAt } = movingShops(own);

describe("the books of a migrated program", () => {
  test("a payout up to an instant contains only what its program had earned by then, even after another program was migrated to the shard", {
    tags: "soak",
  }, async () => {
    const [resident, shop] = [await shopAt(2), await shopAt(1)];
    await resident.refer("u1");
    await resident.sell("t1", "u1");
    const until = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await resident.sell("t2", "u1");
    await shop.refer("u1");
    await shop.sell("t1", "u1");
    await move(shop, 2);
    const at = new Date(until).toISOString();
    const draft = await owner().post<Data<{ id: number; lines: object[] }>>(`/api/programs/${resident.id}/payouts`, {
      currency: "EUR",
      until: at,
    });
    expect(draft.status, draft.text).toBe(201);
    expect(draft.text).toContain("980");
  });

  test("the books of a migrated program that returns are written with its current policies and partners, not those from before it left", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.refer("u1");
    const before = await shop.sell("t1", "u1");
    expect(before.body.commission.amount_cents).toBe(980);
    expect((await shop.click()).body.click_id).toBeDefined();
    await move(shop, 2);
    const policy = await owner().put(`/api/programs/${shop.id}/commission-policy`, {
      ...{ type: "percent", rateBps: 1_000, scope: "lifetime", holdDays: 0 },
    });
    expect(policy.status, policy.text).toBe(200);
    const away = await shop.sell("t2", "u1");
    expect(away.body.commission.amount_cents).toBe(490);
    const paused = await owner().patch(`/api/programs/${shop.id}/partners/${shop.partnerId}`, { status: "paused" });
    expect(paused.status).toBe(200);
    const inactive = await shop.click();
    expect(inactive.body).toMatchObject({ success: false });
    await owner().patch(`/api/programs/${shop.id}/partners/${shop.partnerId}`, { status: "active" });
    const again = await owner().patch(`/api/programs/${shop.id}/partners/${shop.partnerId}`, { status: "paused" });
    expect(again.status).toBe(200);
    await move(shop, 1);
    const click = await shop.click();
    await owner().patch(`/api/programs/${shop.id}/partners/${shop.partnerId}`, { status: "active" });
    const sale = await shop.sell("t3", "u1");
    expect({ click: click.body.success, cents: sale.body.commission.amount_cents }).toEqual({
      click: false,
      cents: 490,
    });
  });

  test("the books of a migrated program can be copied to a shard where other programs have posted later entries", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(2);
    await shop.refer("u1");
    expect((await shop.sell("t1", "u1")).status).toBe(200);
    const other = await shopAt(1);
    await other.refer("u1");
    expect((await other.sell("t1", "u1")).status).toBe(200);
    await move(shop, 1);
    expect(await placeAt(1, shop)).toBe("here");
  });

  test("the books of a migrated program cause no findings of the audit in the target shard's other programs", {
    tags: "soak",
  }, async () => {
    const resident = await shopAt(2);
    await resident.refer("u1");
    await resident.sell("t1", "u1");
    const shop = await shopAt(1);
    await shop.refer("u1");
    await shop.sell("t1", "u1");
    await move(shop, 2);
    const database = clientOf(2);
    const found = await auditLedger(database, {});
    database.close();
    expect(found).toEqual([]);
  });

  test("the books of a migrated program show a commission that was approved on another shard as payable after the program's return", async () => {
    const shop = await shopAt(1);
    await owner().put(`/api/programs/${shop.id}/commission-policy`, {
      ...{ type: "percent", rateBps: 2_000, scope: "lifetime", holdDays: 15 },
    });
    await shop.refer("u1");
    expect((await shop.sell("t1", "u1")).body.commission.amount_cents).toBe(980);
    const begun = await beginMove(own.places, shop.id, 2);
    await own.places.step("freeze", begun, 30_000);
    // The hold ends while the program is on shard 2, where no other call triggers the approval.
    await execute(1, "update commissions set hold_until = 1 where program_id = ?", shop.id);
    await moveProgram(own.places, begun);
    const read = "select status from commissions where program_id = ?";
    await expect.poll(async () => (await own.rows(2, read, shop.id))[0]?.status).toBe("approved");
    await move(shop, 1);
    const draft = await owner().post<Data<{ id: number }>>(`/api/programs/${shop.id}/payouts`, { currency: "EUR" });
    const paid = await owner().post(`/api/programs/${shop.id}/payouts/${draft.body.data?.id}/confirm`, {
      expectedTotalCents: 980,
    });
    expect([draft.status, paid.status], draft.text + paid.text).toEqual([201, 200]);
  });

  test("the books of a migrated program keep a held commission held on another shard until it is released", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.refer("u1");
    const sold = [await shop.sell("in_1", "u1"), await shop.sell("pi_1", "u1")].map(({ body }) => body);
    const path = `/api/programs/${shop.id}/commissions`;
    const [first = 0, second = 0] = sold.map(({ commission_id }) => commission_id);
    const hold = await owner().post(`${path}/hold`, { ids: [first], reason: "odd" });
    expect(hold.status, hold.text).toBe(200);
    await move(shop, 2);

    const read = (shard: number) =>
      own.rows(
        shard,
        `select c.status, c.held_at is not null as held, g.code from commissions c join commission_signals g
           on g.commission_id = c.id and g.ended_at is null where c.program_id = ? order by c.id`,
        shop.id,
      );
    const both = ["by_hand", "duplicate_source"].map((code) => ({ status: "pending", held: 1, code }));
    expect(await read(2)).toEqual(both);
    expect((await owner().post(`${path}/release`, { ids: [first] })).status).toBe(200);
    expect(await read(2)).toEqual(both.slice(1));
    expect(await read(1)).toEqual(both);
    const { body } = await owner().get<Data<{ id: number }[]>>(`${path}?held=true`);
    expect(body.data.map(({ id }) => id)).toEqual([second]);
    const database = clientOf(2);
    expect(await auditLedger(database, { programId: shop.id })).toEqual([]);
    database.close();
  });

  test("a schema migration during the copy of a program's books stops the copy, and its new triggers stay", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.click();
    const begun = await beginMove(own.places, shop.id, 2);
    const [source, target] = [clientOf(1), clientOf(2)];
    const name = "clicks_counted_again";
    await target.execute(`create trigger ${name} after insert on clicks begin select 'old'; end`);
    await own.places.step("freeze", begun, 30_000);
    await copyProgram(source, target, begun);
    let isMigrated = false;
    const { url } = own.places.databaseOf(1);
    const { read } = databaseAt(url);
    const late: typeof read = async (statements) => {
      const found = await read(statements);
      if (!isMigrated && statements[0]?.sql.includes("from clicks t")) {
        isMigrated = true;
        await target.batch(
          [`drop trigger if exists ${name}`, `create trigger ${name} after insert on clicks begin select 'new'; end`],
          "write",
        );
      }
      return found;
    };
    const { url: to } = own.places.databaseOf(2);
    const copying = { copied: begun, source: { read: late }, target: databaseAt(to) };
    await expect(copyBooks(copying)).rejects.toThrow("a migration runs");
    const { rows } = await target.execute({ sql: "select sql from sqlite_master where name = ?", args: [name] });
    await target.execute(`drop trigger ${name}`);
    await abandonMove(own.places, begun);
    source.close();
    target.close();
    expect(String(rows[0]?.sql)).toContain("'new'");
  });

  test("a program whose payout was final in a restored backup can be migrated only after the restore is acknowledged for this payout", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.refer("u1");
    await shop.sell("t1", "u1");
    const path = `/api/programs/${shop.id}/payouts`;
    const draft = async () =>
      `${path}/${(await owner().post<Data<{ id: number }>>(path, { currency: "EUR" })).body.data?.id}`;
    const final = await draft();
    expect((await owner().post(`${final}/finalize`, {})).status).toBe(200);
    const { url } = own.places.databaseOf(1);
    await prepareAllRestored([{ shard: 1, url }]);
    // The shard's Ledger may refuse the first call, because it hasn't detected the restore yet.
    await expect.poll(async () => (await shop.sell("t2", "u1")).status).toBe(200);

    const next = await draft();
    const asked = await owner().post<{ error: { details: { restoredAt: string } } }>(`${next}/finalize`, {});
    expect(asked.status, asked.text).toBe(409);
    const { restoredAt: restoreAcknowledged } = asked.body.error.details;
    expect((await owner().post(`${next}/finalize`, { restoreAcknowledged })).status).toBe(200);
    await expect(move(shop, 2)).rejects.toThrow("Shard 2 was not restored and wouldn't ask");
    const known = `restoreAcknowledged=${restoreAcknowledged}`;
    expect((await owner().get(`${final}?format=csv&${known}`)).status).toBe(200);
    await move(shop, 2);
    expect((await owner().post(`${final}/confirm`, {})).status).toBe(200);
  });

  test("after a restore, a program's next payout requires an acknowledgment, even if the program was migrated to another shard", {
    tags: "soak",
  }, async () => {
    const [left, stayed] = [await shopAt(1), await shopAt(1)];
    await move(left, 2);
    await stayed.refer("u1");
    await stayed.sell("t1", "u1");
    const restored = async (shard: 1 | 2) => {
      const { url } = own.places.databaseOf(shard);
      const { programs } = await prepareAllRestored([{ shard, url }]);
      return programs.map(({ programId }) => programId).filter((id) => id === left.id || id === stayed.id);
    };
    expect(await restored(1)).toEqual([stayed.id]);
    await expect(move(stayed, 2)).rejects.toThrow("Shard 2 was not restored and wouldn't ask");
    expect(await placeAt(1, stayed)).toBe("here");

    expect(await restored(2)).toEqual([left.id]);
    await move(stayed, 2);
    const path = `/api/programs/${stayed.id}/payouts`;
    // The shard's Ledger may refuse the first call, because it hasn't detected the restore yet.
    const drafted = async () => {
      await owner().post(path, { currency: "EUR" });
      return (await owner().get<Data<{ id: number }[]>>(path)).body.data?.[0]?.id;
    };
    await expect.poll(drafted).toBeTypeOf("number");
    const asked = await owner().post(`${path}/${await drafted()}/finalize`, {});
    expect([asked.status, asked.text]).toEqual([409, expect.stringContaining('"restored"')]);
  });

  test("the books of a migrated program can have 10,000 clicks whose ids are in a range assigned to its shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await move(shop, 2);
    await shop.click();
    await move(shop, 1);
    const click = await shop.click();
    expect(click.status).toBe(200);
    const [row] = await own.rows(1, "select * from clicks where program_id = ? order by id desc limit 1", shop.id);
    expect(Math.floor(Number(row?.id) / 1e12)).toBeGreaterThanOrEqual(1000);
    const names = Object.keys(row ?? {});
    const select = names.map((name) =>
      name === "id"
        ? "t.id + n.i"
        : name === "click_id"
          ? "t.click_id || n.i"
          : name === "visitor"
            ? "null"
            : `t."${name}"`,
    );
    await execute(
      1,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
       insert into clicks (${names.map((n) => `"${n}"`).join(", ")}) select ${select.join(", ")} from clicks t, n where t.id = ?`,
      Number(row?.id),
    );
    await move(shop, 2);
    expect(await placeAt(2, shop)).toBe("here");
  });
});
