import { expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { isolatedService } from "../support/isolated-service.ts";

const own = isolatedService();

test("a member who is removed while creating a program doesn't receive the program's first key", async () => {
  const [owner, leaving] = [await own.user("Olga"), await own.user("Leaving")];
  const { workspaceId, write } = await own.world({
    members: [
      { user: owner, role: "owner" },
      { user: leaving, role: "owner" },
    ],
  });
  await write(
    `create trigger removes_meanwhile after insert on programs when new.workspace_id = '${workspaceId}'
      begin update memberships set status = 'suspended' where user_id = '${leaving.userId}'; end`,
  );
  const create = (user: User) =>
    user.post<{ data: { apiToken?: string } }>("/api/programs", { workspaceId, name: "Second" });
  const refused = await create(leaving);
  expect([refused.status, refused.text.includes("svc_")]).toEqual([403, false]);
  const made = await create(owner);
  expect(made.body.data.apiToken).toMatch(/^svc_/);
  await write("drop trigger removes_meanwhile");
});
