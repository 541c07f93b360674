/** @module-tag soak */
import { expect, test } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedService } from "../support/sharded-service.ts";

const own = shardedService("weur");
const { owner, shopAt } = movingShops(own);

test("while a program's database is unreachable, a member can be suspended but not removed, and a later call removes the member", async () => {
  const shop = await shopAt(1);
  const [{ workspace_id: workspaceId } = {}] = await own.rows(
    1,
    "select workspace_id from programs where id = ?",
    Number(shop.id),
  );
  const leaving = await own.user("Leaving");
  const home = openDatabaseClient(own.databases[0]?.url ?? "");
  await home.execute({
    sql: "insert into memberships (id, workspace_id, user_id, role, status, created_at) values ('leaving', ?, ?, 'owner', 'active', 0)",
    args: [String(workspaceId), leaving.userId],
  });
  const invited = await leaving.post(`/api/programs/${shop.id}/partners/${shop.partnerId}/invitations`, {});
  expect(invited.status, invited.text).toBe(201);
  const member = `/api/workspaces/${workspaceId}/members/leaving`;
  const resume = own.proxies[1]?.inject({ kind: "hang" });
  const refused = await owner().delete(member);
  expect(refused).toMatchObject({ status: 503, body: { error: { details: { code: "programs_unavailable" } } } });
  expect(refused.headers.get("retry-after")).toBe("5");
  expect((await owner().patch(member, { status: "suspended" })).status).toBe(200);
  resume?.();
  expect((await leaving.get(`/api/programs/${shop.id}`)).status).toBe(403);
  expect((await owner().delete(member)).status).toBe(200);
});
