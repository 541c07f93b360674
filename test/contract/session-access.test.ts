import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import { createSession, type User } from "../../harness/session.ts";
import { addMember, createWorld, type World } from "../../harness/world.ts";
import { oneOfEach } from "../support/breadth.ts";
import { type Role, type Scope, sessionOperations } from "../support/session-operations.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";

const { url, databaseUrl } = sharedService;

/** Sorted so that the operation that ends a membership runs last. */
const all = (await sessionOperations(url)).toSorted(
  (a, b) => Number(a.name.endsWith("/membership")) - Number(b.name.endsWith("/membership")),
);
// One operation of each kind, because test/http/guards.test.ts tests the guards of every operation.
const operations = oneOfEach(all, ({ about, isScopedByPath, isWrite, role }) =>
  [about, isScopedByPath, isWrite, role].join(),
);
const isOfMembers = ({ role }: (typeof all)[number]) => role !== undefined;
const ofMembers = operations.filter(isOfMembers);
const nowhere: Scope = { programId: 999_999_999_999, workspaceId: "nowhere" };
const roles: readonly Role[] = ["viewer", "admin", "owner"];

/** `visitor` and `outsider` have no workspace. There are two of them because calls per user are rate limited. */
let people: Readonly<Record<Role | "suspended" | "stranger" | "visitor" | "outsider", User>>;
let world: World;

beforeAll(async () => {
  const [viewer, admin, owner, suspended, stranger] = await Promise.all([1, 2, 3, 4, 5].map(() => sharedUser()));
  if (!viewer || !admin || !owner || !suspended || !stranger) throw new Error("five people were asked for");
  const [visitor, outsider] = [await sharedUser(), await sharedUser()];
  people = { viewer, admin, owner, suspended, stranger, visitor, outsider };
  world = await createWorld(databaseUrl, {
    members: [
      { user: viewer, role: "viewer" },
      { user: admin, role: "admin" },
      { user: owner, role: "owner" },
      { user: suspended, role: "owner", status: "suspended" },
    ],
  });
});

const told = ({ status, body: { error } }: Reply<unknown>) => ({ status, message: error?.message });
const noSession = { status: 401, message: "Sign in first." };
const foreign = {
  status: 403,
  message: "Write requests need Content-Type: application/json and this service's Origin",
};
const notAMember = { status: 403, message: "You are not an active member of this workspace" };
const elsewhere = { origin: "https://evil.example" };

test("the path or body of every operation for members contains a program or workspace", () => {
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter(isOfMembers).filter(({ about }) => about === undefined)).toEqual([]);
});

describe.each(operations)("$name", ({ call }) => {
  test("each operation requires a session before any other check", async () => {
    const nobody = createSession(url);
    expect(told(await call(nobody, world))).toEqual(noSession);
    expect(told(await call(nobody, nowhere, { headers: elsewhere }))).toEqual(noSession);
    nobody.cookies.set("tributary.session_token", "forged.forged");
    expect(told(await call(nobody, world))).toEqual(noSession);
  });

  test("each operation accepts no API key, even with a session", async () => {
    expect(told(await call(createSession(url), world, { key: world.key }))).toEqual(noSession);
    expect(told(await call(people.owner, world, { key: world.key }))).toEqual(noSession);
  });
});

describe.each(operations.filter(({ isWrite }) => isWrite))("$name", ({ call, role }) => {
  test("each operation refuses a write from another origin, even for an unknown program or workspace", async () => {
    for (const headers of [elsewhere, { origin: undefined }, { "content-type": "text/plain" }]) {
      expect(told(await call(people.owner, world, { headers }))).toEqual(foreign);
      if (role !== undefined) expect(told(await call(people.owner, nowhere, { headers }))).toEqual(foreign);
    }
  });
});

describe.each(ofMembers)("$name", ({ about, call, role = "viewer" }) => {
  test("each operation returns 404 for an unknown program or workspace", async () => {
    const message = about === "program" ? "Program not found" : "Workspace not found";
    expect(told(await call(people.visitor, nowhere))).toEqual({ status: 404, message });
  });

  test("each operation is available to active members", async () => {
    expect(told(await call(people.stranger, world))).toEqual(notAMember);
    expect(told(await call(people.suspended, world))).toEqual(notAMember);
  });

  test.each(roles)("each operation allows a %s only if the role permits the call", async (given) => {
    const reply = await call(people[given], world);
    if (roles.indexOf(given) >= roles.indexOf(role)) return expect([401, 403]).not.toContain(reply.status);
    expect(told(reply)).toEqual({ status: 403, message: "Your role in this workspace does not allow this" });
    expect(reply.body.error.details).toEqual({ needed: role });
  });
});

describe.each(ofMembers.filter(({ isWrite, isScopedByPath }) => isWrite && isScopedByPath))("$name", ({ call }) => {
  test("each operation refuses a user who isn't a member before checking the body", async () => {
    expect(told(await call(people.outsider, world, { body: "{" }))).toEqual(notAMember);
  });
});

test("a signed-out session is refused", async () => {
  const user = await sharedUser();
  const kept = createSession(url);
  for (const [name, value] of user.cookies) kept.cookies.set(name, value);
  await user.post("/api/auth/sign-out");
  for (const { call } of operations) expect(told(await call(kept, world))).toEqual(noSession);
});

test("an expired session is refused", async () => {
  const user = await sharedUser();
  await world.write({
    sql: "update sessions set expires_at = ? where user_id = ?",
    args: [Date.now() - 1, user.userId],
  });
  for (const { call } of operations) expect(told(await call(user, world))).toEqual(noSession);
});

test("a member of one workspace isn't a member of another", async () => {
  const other = await createWorld(databaseUrl);
  // The test has its own users, so that it doesn't use up the rate limits of the shared ones.
  const members = [await sharedUser(), await sharedUser()];
  for (const user of members) await addMember(databaseUrl, world.workspaceId, { user, role: "owner" });
  for (const [i, { call }] of all.filter(isOfMembers).entries()) {
    expect(told(await call(members[i % members.length] ?? people.owner, other))).toEqual(notAMember);
  }
});
