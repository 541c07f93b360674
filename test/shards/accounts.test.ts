/** @module-tag soak */
import { expect, test } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur", "enam");
const { owner, shopAt } = movingShops(own);
type Shop = Awaited<ReturnType<typeof shopAt>>;

const accessAt = (shard: number, { partnerId }: Shop) =>
  own.rows(shard, "select account_id from partner_accounts where partner_id = ?", Number(partnerId));

test("an account is kept if one shard fails to delete it, and a repeated call completes the deletion", async () => {
  const shops = [await shopAt(1), await shopAt(2)] as const;
  const user = await own.user("Quinn Quagga");
  for (const { id, partnerId } of shops) {
    const { body } = await owner().post<{ data: { inviteUrl: string } }>(
      `/api/programs/${id}/partners/${partnerId}/invitations`,
      {},
    );
    const token = new URLSearchParams(body.data.inviteUrl.split("?")[1]).get("token") ?? "";
    expect((await user.post("/api/partner/invitations/accept", { token })).status).toBe(200);
  }
  const second = openDatabaseClient(own.databases[2]?.url ?? "");
  await second.execute(
    "create trigger refuse_deletes before delete on partner_accounts begin select raise(abort, 'no'); end",
  );
  const leave = () => user.delete("/api/auth/user", { body: { password: user.password } });
  const refused = await leave();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await user.get("/api/auth/get-session")).body).toMatchObject({ user: { name: "Quinn Quagga" } });
  expect(await accessAt(2, shops[1])).toHaveLength(1);
  await second.execute("drop trigger refuse_deletes");
  expect((await leave()).status).toBe(200);
  expect([await accessAt(1, shops[0]), await accessAt(2, shops[1])]).toEqual([[], []]);
  expect((await leave()).status).toBe(401);
  const trail = await own.rows(1, "select action from audit_entries where action = 'partner_access.ended'");
  expect(trail).toHaveLength(1);
});

test("an applicant's undecided applications are listed from all shards", async () => {
  const shops = [await shopAt(1), await shopAt(2)] as const;
  const user = await own.user("Ria Rhino");
  for (const { id } of shops) {
    const slug = `shop-${id}`;
    const page = { mode: "approval", slug, headline: "Earn with us", description: "For blogs", questions: [] };
    expect((await owner().put(`/api/programs/${id}/join`, page)).status).toBe(200);
    expect((await user.post(`/api/join/${slug}`, { name: "Ria Rhino" })).status).toBe(201);
  }
  const { body } = await user.get<{ meta: { applications: { programId: number }[] } }>("/api/partner/programs");
  expect(body.meta.applications.map(({ programId }) => programId)).toEqual(shops.map(({ id }) => id));
});
