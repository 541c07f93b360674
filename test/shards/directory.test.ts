import { describe, expect, test, vi } from "vitest";
import { auditAcross } from "../../scripts/audit/across.ts";
import { acrossRules } from "../../scripts/audit/across-rules.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { reportAudit } from "../../scripts/audit/report.ts";
import { abandonMove, beginMove, type MovePlaces, moveProgram } from "../../scripts/shards/mover.ts";
import { repairDirectory } from "../../scripts/shards/repair.ts";
import { type Data, movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";
import { uniqueWord } from "../support/unique-word.ts";

const own = shardedService("weur", "enam");
const { owner, everyDatabase, clientOf, execute, shopAt, move, placeAt, dyingMover } = movingShops(own);

describe("the directory of programs in the home database", () => {
  test("the directory of programs lists a program exactly once after it left the home shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(0);
    await move(shop, 1);
    await owner().patch(`/api/programs/${shop.id}`, { name: "Renamed" });
    const { body } = await owner().get<Data<{ id: number; name: string }[]>>(
      `/api/programs?workspaceId=${shop.workspaceId}`,
    );
    expect(body.data.map(({ name }) => name)).toEqual(["Renamed"]);
  });

  test("the directory of programs contains the code of a partner created after a migration from the home shard, so that no other program gets its clicks", async () => {
    const shop = await shopAt(0);
    const code = uniqueWord("x");
    const begun = await beginMove(own.places, shop.id, 1);
    await own.places.step("freeze", begun, 30_000);
    const create = () => owner().post(`/api/programs/${shop.id}/partners`, { name: "Bob", code });
    expect((await create()).status).toBe(503);
    await moveProgram(own.places, begun);
    await expect.poll(async () => (await create()).status).toBe(201);
    // Another owner's program has the same code.
    const stranger = await shopAt(2, { code });
    const click = await own.api().click({ affiliate_url: `https://${shop.site}/?aff=${code}` }, { browser: true });
    const atStranger = await own.rows(2, "select id from clicks where program_id = ?", stranger.id);
    expect({ atStranger: atStranger.length }, click.text).toEqual({ atStranger: 0 });
    const known = await own.rows(0, "select 1 from foreign_codes where code_key = ? and program_id = ?", code, shop.id);
    expect(known).toHaveLength(1);
  });

  test("the directory of programs receives exactly the codes that an import and an admin create on a shard", async () => {
    const [made, fresh, further, taken] = ["m", "f", "l", "t"].map(uniqueWord);
    const shop = await shopAt(1, { code: taken });
    const known = async () =>
      (
        await own.rows(
          0,
          "select code_key, destination_url from foreign_codes where program_id = ? and code_key <> ? order by code_key",
          shop.id,
          taken ?? "",
        )
      ).map((row) => [row.code_key, row.destination_url]);
    const run = async (rows: object[]) =>
      (
        await owner().post<Data<{ rows: { result: string; id: number }[] }>>(`/api/programs/${shop.id}/imports/rows`, {
          ...{ kind: "partners", source: "Elsewhere", update: true },
          rows: rows.map((row, i) => ({ line: i + 1, ...row })),
        })
      ).body.data.rows;
    const bea = { name: "Bea", code: made, external_id: "u-1" };
    const rows = await run([bea, { name: "Cy", code: `${fresh};${taken}` }]);
    expect(rows.map(({ result }) => result)).toEqual(["created", "refused"]);
    expect(await known()).toEqual([[made, null]]);
    const links = `/api/programs/${shop.id}/partners/${rows[0]?.id}/links`;
    expect((await owner().post(links, { code: further })).status).toBe(201);
    expect((await owner().post(links, { code: taken })).status).toBe(409);
    expect(await known()).toEqual([
      [further, null],
      [made, null],
    ]);
    const destination_url = "https://bea.example/shop";
    expect((await run([{ ...bea, destination_url }])).map(({ result }) => result)).toEqual(["updated"]);
    expect(await known()).toEqual([
      [further, destination_url],
      [made, destination_url],
    ]);
  });

  test("the directory of programs still finds a program by its code after a migration from the home shard is abandoned", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(0);
    await expect(moveProgram(dyingMover(), await beginMove(own.places, shop.id, 1))).rejects.toThrow("the mover died");
    await abandonMove(own.places, await beginMove(own.places, shop.id, 1));
    const click = await shop.clickByCode();
    expect(click.status, click.text).toBe(200);
  });

  test("the directory of programs still finds a program by its code if a migration to the home shard is killed after the program has left its shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    const begun = await beginMove(own.places, shop.id, 0);
    const dying: MovePlaces = {
      ...own.places,
      step: async (step, ...rest) => {
        await own.places.step(step, ...rest);
        if (step === "leave") throw new Error("the mover died");
      },
    };
    await expect(moveProgram(dying, begun)).rejects.toThrow("the mover died");
    await expect.poll(() => placeAt(0, shop)).toBe("here");
    await expect
      .poll(() => own.rows(0, "select 1 from program_moves where program_id = ? and state = 'open'", shop.id))
      .toEqual([]);
    const click = await shop.clickByCode();
    expect(click.status, click.text).toBe(200);
  });

  test("the directory of programs contains a program again from the moment it returns to the home shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    let isOver = false;
    const statuses: number[] = [];
    const caller = async () => {
      while (!isOver) for (const each of [shop.click, shop.clickByCode]) statuses.push((await each()).status);
    };
    const callers = Array.from({ length: 4 }, caller);
    await move(shop, 0);
    isOver = true;
    await Promise.all(callers);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test("the directory of programs closes an open migration if the program is already on another shard", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    const begun = await beginMove(own.places, shop.id, 2);
    await execute(0, "update program_places set shard = 0 where program_id = ?", shop.id);
    await abandonMove(own.places, begun);
    expect(await own.rows(0, "select 1 from program_moves where program_id = ? and state = 'open'", shop.id)).toEqual(
      [],
    );
    await execute(0, "update program_places set shard = 1 where program_id = ?", shop.id);
  });

  test("the directory of programs still finds a program by its code after a change of the program's site is refused", {
    tags: "soak",
  }, async () => {
    const code = uniqueWord("s");
    const shop = await shopAt(1, { code });
    await shopAt(2, { code });
    expect((await shop.clickByCode()).status).toBe(200);
    await owner().patch(`/api/programs/${shop.id}`, { status: "archived" });
    const refused = await owner().patch(`/api/programs/${shop.id}`, { websiteUrl: "https://other.example" });
    expect(refused.status, refused.text).toBeGreaterThanOrEqual(400);
    await owner().patch(`/api/programs/${shop.id}`, { status: "active" });
    const click = await shop.clickByCode();
    expect(click.status, click.text).toBe(200);
  });

  test("the directory of programs still finds a program by its code after another program is refused a partner with the same code", async () => {
    const code = uniqueWord("r");
    await shopAt(2, { code });
    const shop = await shopAt(1);
    await owner().patch(`/api/programs/${shop.id}`, { websiteUrl: null });
    // The landing page isn't on the other program's site, so only this program has the code.
    const landing = { affiliate_url: `https://elsewhere.example/?aff=${code}` };
    expect((await own.api().click(landing, { browser: true })).status).toBe(200);
    await owner().patch(`/api/programs/${shop.id}`, { status: "archived" });
    const refused = await owner().post(`/api/programs/${shop.id}/partners`, { name: "Eve", code });
    expect(refused.status, refused.text).toBeGreaterThanOrEqual(400);
    await owner().patch(`/api/programs/${shop.id}`, { status: "active" });
    const click = await own.api().click(landing, { browser: true });
    expect(click.status, click.text).toBe(200);
  });

  test("the directory of programs recovers from a restore that lost the end of a migration", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await move(shop, 2);
    // Simulates that home was restored to an earlier instant than the other shards.
    await execute(0, "update program_places set shard = 1, move_id = null where program_id = ?", shop.id);
    await execute(0, "update program_moves set state = 'open', ended_at = null where program_id = ?", shop.id);
    const begun = await beginMove(own.places, shop.id, 2);
    await moveProgram(own.places, begun).catch(() => {});
    await abandonMove(own.places, begun).catch(() => {});
    await repairDirectory(everyDatabase());
    expect(await own.rows(0, "select shard from program_places where program_id = ?", shop.id)).toMatchObject([
      { shard: 2 },
    ]);
    expect(await own.rows(0, "select 1 from program_moves where program_id = ? and state = 'open'", shop.id)).toEqual(
      [],
    );
  });

  test("the directory of programs isn't repaired for a program that is active on two shards", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await move(shop, 2);
    await execute(1, "update programs set place = 'here', left_to = null where id = ?", shop.id);
    const lines = await repairDirectory(everyDatabase());
    expect(lines.filter((line) => line.includes(String(shop.id)))).toEqual([
      `Program ${shop.id} is on the shards 1 and 2: left as it is.`,
    ]);
    expect(await own.rows(0, "select shard from program_places where program_id = ?", shop.id)).toMatchObject([
      { shard: 2 },
    ]);
    await execute(1, "update programs set place = 'left', left_to = 2 where id = ?", shop.id);
  });

  test("the directory of programs keeps a program that its new shard has lost, because the former shard still has the program's rows", {
    tags: "soak",
  }, async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const copy = await own.databases[2]?.backup();
    await move(shop, 2);
    await own.databases[2]?.restore(copy ?? "");
    await execute(0, "update program_places set created_at = 1 where program_id = ?", shop.id);
    const lines = await repairDirectory(everyDatabase());
    expect(lines.filter((line) => line.includes(String(shop.id)) && line.includes("removed"))).toEqual([]);
    expect(await own.rows(0, "select 1 from program_places where program_id = ?", shop.id)).toHaveLength(1);
  });
});

describe("a program whose migration was left unfinished", () => {
  async function printed(run: () => Promise<unknown>): Promise<string> {
    const log = vi.spyOn(console, "log").mockReturnValue();
    try {
      await run();
      return log.mock.calls.join("\n");
    } finally {
      log.mockRestore();
    }
  }

  test("a program whose migration was left unfinished is skipped and named by the audit, and reported as a finding after an hour", {
    tags: ["finding"],
  }, async () => {
    const shop = await shopAt(1);
    await shop.sell("t1", "u1");
    const begun = await beginMove(own.places, shop.id, 2);
    await expect(moveProgram(dyingMover(), begun)).rejects.toThrow("the mover died");
    // Simulates a crash during the copy.
    await execute(2, "delete from daily_counts where program_id = ?", shop.id);
    const target = clientOf(2);
    expect(await auditLedger(target, { programId: shop.id })).not.toEqual([]);
    expect(await auditLedger(target)).toEqual([]);
    target.close();
    const [move] = await own.rows(0, "select started_at from program_moves where program_id = ?", shop.id);
    const startedAt = Number(move?.started_at);
    const since = new Date(startedAt).toISOString();
    expect(await printed(() => reportAudit(everyDatabase()))).toContain(
      `Shard 2\nProgram ${shop.id} wasn't audited here: its move to another shard began at ${since} and isn't finished.\n\nThe books are right`,
    );
    const openedAnHourAgo = async () => {
      const found = await auditAcross(everyDatabase(), { at: startedAt + 3_600_001 });
      return found.filter(({ broken }) => broken === acrossRules.open).flatMap(({ rows }) => rows);
    };
    expect((await auditAcross(everyDatabase())).filter(({ broken }) => broken === acrossRules.open)).toEqual([]);
    expect(await openedAnHourAgo()).toEqual([{ program: shop.id, from: 1, to: 2, since }]);
    expect((await fetch(`${own.service.url}/readyz`)).status).toBe(200);
    await abandonMove(own.places, await beginMove(own.places, shop.id, 2));
    expect(await openedAnHourAgo()).toEqual([]);
  });
});
