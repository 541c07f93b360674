import { beforeAll, expect, test } from "vitest";
import { unsubscribeToken } from "#domain/mail/unsubscribe.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import { testSecrets } from "../../harness/service.ts";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { teamMailsTo, writeTeamMails } from "../support/team-mails.ts";

const mailer = await mailReceiver();
// Without a base URL, the service doesn't write these mails itself. The tests do, at an instant of their own.
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
let viewer: User;
let stranger: User;
let world: World;
beforeAll(async () => {
  [owner, viewer, stranger] = [await own.user("Olga"), await own.user("Vic"), await own.user("Sid")];
  world = await own.world({
    members: [
      { user: owner, role: "owner" },
      { user: viewer, role: "viewer" },
    ],
  });
  await world.write({
    sql: `insert into applications (id, program_id, account_id, name, answers, status, created_at)
      values (?1, ?1, 'a', 'Ben', '{}', 'pending', 1)`,
    args: [world.programId],
  });
});

const daily = {
  application_received: "daily",
  claim_opened: "daily",
  commission_held: "daily",
  webhook_disabled: "daily",
  payout_due: "daily",
};
const off = {
  application_received: "off",
  claim_opened: "off",
  commission_held: "off",
  webhook_disabled: "off",
  payout_due: "off",
};

interface Reply {
  readonly data: Readonly<Record<string, unknown>>;
}
const path = () => `/api/programs/${world.programId}/notifications`;
const settings = async (user: User) => (await user.get<Reply>(path())).body.data;
const all = async (user: User) => (await user.get<Reply>("/api/notifications")).body.data;
const set = (user: User, body: Readonly<Record<string, string>>) => user.put<Reply>(path(), body);

let day = Date.parse("2026-01-05T07:00:00Z");
/** Writes the mails of the next day, and returns the user's mails that aren't sent yet. */
async function mailed(user: User) {
  day += 24 * 3_600_000;
  await writeTeamMails({ homeUrl: own.database.url }, day);
  return teamMailsTo(own.database.url, user.userId);
}

/** Posts as a mail client does: without cookies and without an origin of the service. */
const oneClick = (url: string) =>
  fetch(new URL(new URL(url).pathname, own.service.url), {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" },
    body: "List-Unsubscribe=One-Click",
  });
const linkOf = (user: User, secret: string = testSecrets.AUTH_SECRET) =>
  `https://tributary.example/api/mail/unsubscribe/${unsubscribeToken(secret, user.userId)}`;

test("owners start with daily notification emails and other members with none, and each changes only their own setting", async () => {
  expect(await settings(owner)).toEqual(daily);
  expect(await settings(viewer)).toEqual(off);
  const changed = await set(viewer, { payout_due: "weekly", commission_held: "daily" });
  expect(changed.status, changed.text).toBe(200);
  expect(changed.body.data).toEqual({ ...off, payout_due: "weekly", commission_held: "daily" });
  expect((await set(viewer, { payout_due: "off" })).body.data).toEqual({ ...off, commission_held: "daily" });
  expect(await settings(owner)).toEqual(daily);
  expect(await all(viewer)).toMatchObject({ all: "by_role", chosen: 1 });
  expect((await stranger.get(path())).status).toBe(403);
  expect((await set(stranger, { payout_due: "off" })).status).toBe(403);
});

test.each([{ claim: "daily" }, { payout_due: "hourly" }, { payout_due: "daily", other: "off" }])(
  "an unknown kind or frequency of notifications is refused, and nothing changes: %o",
  async (body) => {
    const before = await settings(owner);
    const refused = await set(owner, body as never);
    expect(refused.status, refused.text).toBe(400);
    expect(await settings(owner)).toEqual(before);
  },
);

test("a mail client stops all notification mails with one click, which can be repeated", async () => {
  const [mail] = await mailed(owner);
  const header = mail?.headers?.["List-Unsubscribe"] ?? "";
  expect(header).toMatch(/^<https:\/\/tributary\.example\/api\/mail\/unsubscribe\/[\w.-]+>$/);
  expect(mail?.headers?.["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
  const link = header.slice(1, -1);
  expect(mail?.text).toContain(link);
  for (const _ of [1, 2]) {
    const answer = await oneClick(link);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
  expect(await settings(owner)).toEqual(off);
  expect(await all(owner)).toMatchObject({ all: "off", chosen: 0 });
  // No mail is written for the next day, and the unsent mail of the day before is withdrawn.
  expect(await mailed(owner)).toEqual([]);
  // A later choice for one program applies.
  await set(owner, { application_received: "daily" });
  expect(await settings(owner)).toEqual({ ...off, application_received: "daily" });
  expect(await mailed(owner)).toHaveLength(1);
  const again = await owner.put<Reply>("/api/notifications", { all: "by_role" });
  expect(again.body.data).toMatchObject({ all: "by_role", chosen: 0 });
  expect(await settings(owner)).toEqual(daily);
});

test("opening the link that stops notification mails shows a button and changes nothing", async () => {
  const url = new URL(new URL(linkOf(owner)).pathname, own.service.url);
  for (const method of ["GET", "HEAD"]) {
    const answer = await fetch(url, { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(answer.headers.get("content-security-policy")).toContain("form-action 'self'");
    if (method === "GET") expect(await answer.text()).toMatch(/<form method="post">.*<button>/);
  }
  expect(await settings(owner)).toEqual(daily);
});

test("a link that stops notification mails is refused with a forged token, and with a valid token it stops only the mails of the token's account", async () => {
  const [mine, theirs] = [linkOf(owner), linkOf(viewer)].map((link) => link.split(".") as string[]);
  const swapped = [...(theirs ?? []).slice(0, -1), mine?.at(-1)].join(".");
  const before = await settings(viewer);
  for (const forged of [
    swapped,
    linkOf(owner, "another secret of the same service, now replaced"),
    `${linkOf(owner)}x`,
    linkOf(owner).slice(0, -1),
    "https://tributary.example/api/mail/unsubscribe/x",
    "https://tributary.example/api/mail/unsubscribe/a.b",
  ]) {
    expect((await oneClick(forged)).status, forged).toBe(400);
    expect((await fetch(new URL(new URL(forged).pathname, own.service.url))).status).toBe(400);
  }
  expect(await settings(owner)).toEqual(daily);
  expect((await oneClick(linkOf(owner))).status).toBe(200);
  expect(await settings(owner)).toEqual(off);
  expect(await settings(viewer)).toEqual(before);
  await owner.put("/api/notifications", { all: "by_role" });
});

test("the token of an earlier notification mail still works, also for a removed member and a deleted account", async () => {
  const gone = await own.user("Gwen");
  const link = linkOf(gone);
  await openDatabaseClient(own.database.url).execute({
    sql: "update users set email = 'deleted:' || id, email_verified = 0 where id = ?",
    args: [gone.userId],
  });
  expect((await oneClick(link)).status).toBe(200);
  const rows = await openDatabaseClient(own.database.url).execute({
    sql: "select * from team_mail_stops where user_id = ?",
    args: [gone.userId],
  });
  expect(rows.rows).toEqual([]);
  expect(databaseAt(own.database.url).roundTrips).toBe(0);
});

test("deleting an account deletes its notification settings", async () => {
  const user = await own.user("Dora");
  await world.write({
    sql: `insert into memberships (id, workspace_id, user_id, role, status, created_at) values (?1, ?2, ?1, 'viewer', 'active', 0)`,
    args: [user.userId, world.workspaceId],
  });
  await set(user, { payout_due: "daily" });
  await user.put("/api/notifications", { all: "off" });
  await set(user, { payout_due: "daily" });
  const deleted = await user.delete("/api/auth/user", { body: { password: user.password } });
  expect(deleted.status, deleted.text).toBe(200);
  const client = openDatabaseClient(own.database.url);
  for (const table of ["team_mail_choices", "team_mail_stops", "team_mail_tasks"]) {
    const { rows } = await client.execute({ sql: `select * from ${table} where user_id = ?`, args: [user.userId] });
    expect(rows, table).toEqual([]);
  }
});

test("the notification settings say that no mails are sent because the service has no base URL", async () => {
  expect(await all(owner)).toMatchObject({ state: "no_base_url" });
  await setVerified(own.database.url, viewer, false);
  expect(await all(viewer)).toMatchObject({ state: "no_base_url" });
});
