import { expect, test } from "vitest";
import { keptAccountEvents } from "#domain/account-event.ts";
import { recordFailedSignIn } from "#store/accounts/account-events.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createSession, type Session, signUp, type User } from "../../harness/session.ts";
import { createWorld } from "../../harness/world.ts";
import { eventually } from "../support/isolated-service.ts";
import { sharedService } from "../support/shared-service.ts";
import { turnOnTotp } from "../support/totp.ts";

const { url, databaseUrl } = sharedService;
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

interface Activity {
  readonly id: number;
  readonly at: string;
  readonly action: string;
  readonly device: string | null;
  readonly place: string | null;
}

const activityOf = async (user: Session) => (await user.get<{ data: Activity[] }>("/api/auth/activity")).body.data;
const actionsOf = async (user: Session) => (await activityOf(user)).map(({ action }) => action);

const signIn = (browser: Session, { email }: User, password: string) =>
  browser.post("/api/auth/sign-in/email", { email, password }, { headers: { "user-agent": firefox } });

/** A failed sign-in is stored after its response was sent. */
const withFailures = (user: Session, count: number): Promise<string[]> =>
  eventually(
    () => actionsOf(user),
    (actions) => actions.filter((action) => action === "sign_in_failed").length >= count,
  );

test("an account's activity lists sign-ins, failed sign-ins, ended sessions, and changes of the password and second factor", async () => {
  const user = await signUp(url);
  const [other, third] = [createSession(url), createSession(url)];
  await signIn(other, user, user.password);
  await signIn(third, user, "a guess");
  await withFailures(user, 1);
  await other.post("/api/auth/sign-out");
  await signIn(other, user, user.password);
  const sessions = await user.get<{ data: { id: string; current: boolean }[] }>("/api/auth/list-sessions");
  const [ended] = sessions.body.data.filter(({ current }) => !current);
  await user.post("/api/auth/revoke-session", { id: ended?.id ?? "" });
  await user.post("/api/auth/revoke-session", { id: ended?.id ?? "" });
  await user.post("/api/auth/revoke-other-sessions");
  const newPassword = "a better password";
  await user.post("/api/auth/change-password", { currentPassword: user.password, newPassword });
  const { code } = await turnOnTotp({ ...user, password: newPassword });
  const { body } = await user.post<{ data: { recoveryCodes: string[] } }>("/api/auth/totp/recovery-codes", {
    password: newPassword,
    code: code(),
  });
  const { recoveryCodes } = body.data;
  await user.delete("/api/auth/totp", { body: { password: newPassword, code: recoveryCodes[0] ?? "" } });
  expect(await actionsOf(user)).toEqual([
    "two_factor_turned_off",
    "recovery_codes_replaced",
    "two_factor_turned_on",
    "password_changed",
    "session_ended",
    "signed_in",
    "signed_out",
    "sign_in_failed",
    "signed_in",
    "signed_in",
  ]);
  const failed = (await activityOf(user)).find(({ action }) => action === "sign_in_failed");
  expect(failed).toEqual({
    id: expect.any(Number),
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    action: "sign_in_failed",
    device: "Firefox on Linux",
    place: null,
  });
});

test("owners see their members' activity in the workspace's audit trail, without failed sign-ins", async () => {
  const [owner, admin] = await Promise.all([signUp(url), signUp(url, { name: "Grace Hopper" })]);
  const members = [
    { user: owner, role: "owner" },
    { user: admin, role: "admin" },
  ] as const;
  const { workspaceId } = await createWorld(databaseUrl, { members });
  await signIn(createSession(url), admin, "a guess");
  await withFailures(admin, 1);
  await signIn(createSession(url), admin, admin.password);
  const newPassword = "a better password";
  await admin.post("/api/auth/change-password", { currentPassword: admin.password, newPassword });
  const { body } = await owner.get<{ data: Record<string, unknown>[] }>(`/api/workspaces/${workspaceId}/audit`);
  expect(body.data.map(({ action, actorName }) => [action, actorName])).toEqual([
    ["account.password_changed", "Grace Hopper"],
    ["account.signed_in", "Grace Hopper"],
  ]);
  expect(body.data[1]).toMatchObject({
    actorEmail: admin.email,
    before: null,
    after: { userId: admin.userId, device: "Firefox on Linux", place: null },
  });
  expect(JSON.stringify(body)).not.toContain(admin.ip);
});

test("an account's activity keeps only the newest failed sign-ins, and many failed sign-ins by strangers remove no other entries", async () => {
  const user = await signUp(url);
  const database = databaseAt(databaseUrl);
  const { failed: kept } = keptAccountEvents;
  for (let i = 0; i < kept + 5; i += 1) {
    const event = { operationId: `${user.userId} ${i}`, userId: user.userId, device: null, place: null, at: i };
    await recordFailedSignIn(database, event);
    await recordFailedSignIn(database, event);
  }
  const rows = await (await createWorld(databaseUrl)).rows(
    "select action, count(*) n, min(created_at) oldest from account_events where user_id = ? group by action order by n",
    user.userId,
  );
  expect(rows.map(({ action, n }) => [action, n])).toEqual([
    ["signed_in", 1],
    ["sign_in_failed", kept],
  ]);
  expect(rows[1]?.oldest).toBe(5);
  const first = await user.get<{ data: Activity[]; meta: { nextCursor: string } }>("/api/auth/activity");
  expect(first.body.data).toHaveLength(50);
  const rest = await user.get<{ data: Activity[] }>(`/api/auth/activity?cursor=${first.body.meta.nextCursor}`);
  expect(rest.body.data.map(({ action }) => action)).toEqual(["signed_in"]);
  expect((await user.get("/api/auth/activity?cursor=x")).status).toBe(400);
});

test("a user can change their name, and no other field", async () => {
  const user = await signUp(url);
  const renamed = await user.post("/api/auth/update-user", { name: "Ada King", email: "other@people.example" });
  expect([renamed.status, renamed.body]).toEqual([200, { data: { name: "Ada King" } }]);
  const { body } = await user.get<{ user: object }>("/api/auth/get-session");
  expect(body.user).toMatchObject({ name: "Ada King", email: user.email });
  expect((await user.post("/api/auth/update-user", { name: " " })).status).toBe(400);
});
