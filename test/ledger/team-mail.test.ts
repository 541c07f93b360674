import { afterEach, beforeEach, expect, test } from "vitest";
import { dayMs, hourMs } from "#domain/calendar.ts";
import { restartMails, stopAllMails } from "#store/accounts/team-mail-choices.ts";
import { readToDo } from "#store/reports/to-do.ts";
import { readTeamMailRun } from "#store/team-mail-runs.ts";
import { startDatabase, type TestDatabase } from "../../harness/database.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import type { User } from "../../harness/session.ts";
import { addUsers, setVerified } from "../../harness/users.ts";
import { createWorld, type MemberSettings, type World, type WorldSettings } from "../../harness/world.ts";
import { isWhole } from "../support/breadth.ts";
import { type Counted, countingDatabase } from "../support/counting-database.ts";
import { origin, teamMailsTo, writeTeamMails } from "../support/team-mails.ts";

const monday = Date.parse("2026-11-30T07:00:00Z");
const tuesday = monday + dayMs;

const databases: TestDatabase[] = [];
let database: TestDatabase;
beforeEach(async () => {
  database = await addDatabase();
});
afterEach(async () => {
  for (const each of databases.splice(0)) await each.dispose();
});

async function addDatabase(): Promise<TestDatabase> {
  const made = await startDatabase();
  databases.push(made);
  return made;
}

const users = (...names: readonly string[]): Promise<User[]> =>
  addUsers({ url: "http://127.0.0.1:1", databaseUrl: database.url }, names);

const open = (members: readonly MemberSettings[], settings: WorldSettings = {}): Promise<World> =>
  createWorld(database.url, { members, ...settings });

const apply = (world: World, count: number, from = 0) =>
  world.write({
    sql: `insert into applications (id, program_id, account_id, name, answers, status, created_at)
      select ?1 * 1000 + ?3 + value, ?1, 'account ' || value, 'Ben Blogger', '{}', 'pending', value
      from generate_series(?3 + 1, ?3 + ?2)`,
    args: [world.programId, count, from],
  });

const write = (at: number) => writeTeamMails({ homeUrl: database.url }, at);
const mailsTo = ({ userId }: User) => teamMailsTo(database.url, userId);

test("each member gets one mail a day with the counts and sums of all their programs", async () => {
  const [ann, ben, cat] = (await users("Ann", "Ben", "Cat")) as [User, User, User];
  const owners = [ann, ben].map((user) => ({ user, role: "owner" as const }));
  const first = await open([...owners, { user: cat, role: "viewer" }], { program: { name: "Tent Shop" } });
  const second = await open([{ user: ann, role: "owner" }], { program: { name: "Fjord & Fell" } });
  const third = await open(owners, { program: { name: "Nothing to do" } });
  await apply(first, 3);
  await apply(second, 1);
  await first.write({
    sql: "insert into partner_balances (program_id, partner_id, currency, payable_cents) values (?, ?, 'EUR', 123456)",
    args: [first.programId, first.partner.id],
  });
  first.forged.add("balances");
  expect(await write(monday)).toBe(Date.parse("2026-12-01T06:00:00Z"));
  const [toAnn, ...others] = await mailsTo(ann);
  expect(others).toEqual([]);
  expect(toAnn?.subject).toBe("Tasks are waiting in 2 programs");
  expect(toAnn?.text).toContain(
    `3 people want to become partners\n\n${origin}/app/programs/${first.programId}/partners/applications`,
  );
  expect(toAnn?.text).toContain("1 person wants to become a partner");
  expect(toAnn?.text).not.toContain("Ben Blogger");
  expect(toAnn?.text).not.toContain("Nothing to do");
  const asked = { programId: first.programId, currency: "EUR", timezone: "UTC", at: monday };
  const toDo = await readToDo(databaseAt(database.url), asked);
  const payable = toDo.find(({ kind }) => kind === "payable");
  expect(payable).toMatchObject({ count: 1, amounts: [{ currency: "EUR", cents: 123_456n }] });
  expect(toAnn?.text).toContain("1 partner can be paid: €1,234.56");
  expect((await mailsTo(ben)).map(({ subject }) => subject)).toEqual(["Tasks are waiting in Tent Shop"]);
  expect(await mailsTo(cat)).toEqual([]);
  expect(third.programId).toBeGreaterThan(0);
  // Nothing more is written on the same day.
  await apply(first, 1, 10);
  await write(monday + 9 * hourMs);
  expect(await mailsTo(ann)).toHaveLength(1);
  // The next day's mail replaces it in the database.
  await write(tuesday);
  const [next, ...more] = await mailsTo(ann);
  expect(more).toEqual([]);
  expect(next?.text).toContain("4 people want to become partners");
});

test("mails about tasks are written from 6:00 UTC, and aren't sent after the day for which they were written", async () => {
  const [ann] = (await users("Ann")) as [User];
  await apply(await open([{ user: ann, role: "owner" }]), 1);
  const midnight = Date.parse("2026-11-30T00:00:00Z");
  expect(await write(midnight + 6 * hourMs - 1)).toBe(midnight + 6 * hourMs);
  expect(await mailsTo(ann)).toEqual([]);
  await write(midnight + 6 * hourMs);
  expect(await mailsTo(ann)).toMatchObject([{ linkUntil: midnight + dayMs, to: ann.email }]);
});

test("weekly mails about tasks are written on the first day of each week on which the service runs", async () => {
  const [vic] = (await users("Vic")) as [User];
  const world = await open([{ user: vic, role: "viewer" }]);
  await world.write({
    sql: "insert into team_mail_choices (user_id, program_id, application_received) values (?, ?, 'weekly')",
    args: [vic.userId, world.programId],
  });
  await apply(world, 1);
  const days: boolean[] = [];
  // Thursday to Sunday, then Wednesday, Thursday and the next Monday. The service was down on the first Monday and on
  // Tuesday.
  for (const day of [-4, -3, -2, -1, 2, 3, 7]) {
    await write(monday + day * dayMs);
    days.push(
      (await mailsTo(vic)).some(({ id }) => id.includes(new Date(monday + day * dayMs).toISOString().slice(0, 10))),
    );
  }
  expect(days).toEqual([true, false, false, false, true, false, true]);
});

test("members get no mail about payable amounts alone within 30 days after a payout", async () => {
  const [ann] = (await users("Ann")) as [User];
  const world = await open([{ user: ann, role: "owner" }]);
  const { programId, partner } = world;
  await world.write({
    sql: "insert into partner_balances (program_id, partner_id, currency, payable_cents) values (?, ?, 'EUR', 5000)",
    args: [programId, partner.id],
  });
  world.forged.add("balances");
  const finalized = (at: number) =>
    world.write({
      sql: `insert into payouts (id, program_id, currency, reference, status, until, cut, minimum_cents, total_cents, line_count,
          created_at, created_by, finalized_at, finalized_by, finalized_number, confirmed_at, confirmed_by, paid_at)
        values (?1, ?1, 'EUR', 'R', 'paid', 0, 0, 1, 1, 1, 0, 'x', ?2, 'x', 1, ?2, 'x', ?2)`,
      args: [programId, at],
    });
  await finalized(monday - 29 * dayMs);
  await write(monday);
  expect(await mailsTo(ann)).toEqual([]);
  await write(tuesday);
  expect(await mailsTo(ann)).toHaveLength(1);
});

test("members who are suspended, removed or unverified get no mail about tasks, and neither do members of archived programs", async () => {
  const names = ["Ann", "Una", "Sam", "Rob", "Arc", "Pam"];
  const [ann, una, sam, rob, arc, pam] = (await users(...names)) as [User, User, User, User, User, User];
  await setVerified(database.url, una, false);
  const owners = [ann, una, rob].map((user) => ({ user, role: "owner" as const }));
  const world = await open([...owners, { user: sam, role: "owner", status: "suspended" }]);
  await apply(world, 1);
  const archived = await open([{ user: arc, role: "owner" }], { program: { archivedAt: 1 } });
  await apply(archived, 1);
  const paused = await open([{ user: pam, role: "owner" }], { program: { status: "paused" } });
  await apply(paused, 1);
  await world.write({
    sql: "delete from memberships where user_id = ?",
    args: [rob.userId],
  });
  await write(monday);
  expect(await Promise.all([ann, una, sam, rob, arc, pam].map(async (user) => (await mailsTo(user)).length))).toEqual([
    1, 0, 0, 0, 0, 1,
  ]);
});

test.each([
  "delete from memberships where user_id = ?",
  "update memberships set status = 'suspended' where user_id = ?",
])("the waiting mail of a former or suspended member is withdrawn: %s", async (sql) => {
  const [ann, ben] = (await users("Ann", "Ben")) as [User, User];
  const world = await open([ann, ben].map((user) => ({ user, role: "owner" as const })));
  await apply(world, 1);
  await write(monday);
  await world.write({ sql, args: [ben.userId] });
  expect(await mailsTo(ben)).toEqual([]);
  expect(await mailsTo(ann)).toHaveLength(1);
  await write(monday + hourMs);
  expect(await mailsTo(ben)).toEqual([]);
});

test("a member who stops the mails gets neither the mail that waits nor the tasks that aren't mailed yet", async () => {
  const [ann, ben] = (await users("Ann", "Ben")) as [User, User];
  const world = await open([ann, ben].map((user) => ({ user, role: "owner" as const })));
  await apply(world, 1);
  await write(monday);
  const home = databaseAt(database.url);
  const stop = { userId: ben.userId, at: monday, day: "2026-11-30" };
  await stopAllMails(home, stop);
  expect(await mailsTo(ben)).toEqual([]);
  await restartMails(home, ben.userId);
  await write(monday + hourMs);
  expect([await mailsTo(ann), await mailsTo(ben)].map(({ length }) => length)).toEqual([1, 0]);
  await world.write({
    sql: "insert into team_mail_tasks (user_id, program_id, day, program_name, tasks) values (?, ?, '2026-11-30', 'Shop', '[]')",
    args: [ben.userId, world.programId],
  });
  await stopAllMails(home, stop);
  expect((await openDatabaseClient(database.url).execute("select * from team_mail_tasks")).rows).toEqual([]);
});

test("a hostile program name changes neither the headers nor the markup of a mail", async () => {
  const [ann] = (await users("Ann")) as [User];
  const name = 'Shop\r\nBcc: victim@shop.example\r\n\r\n<img src=x onerror=alert(1)> https://evil.example "</p>';
  await apply(await open([{ user: ann, role: "owner" }], { program: { name } }), 1);
  await write(monday);
  const [mail] = await mailsTo(ann);
  expect(mail?.subject).not.toMatch(/[\r\n]|@|https?:/);
  expect(mail?.html).not.toMatch(/<img|onerror=alert\(1\)>|evil\.example"/);
  expect(mail?.html).toContain("&lt;img");
  const links = [...(mail?.html.matchAll(/href="([^"]*)"/g) ?? [])].map(([, link = ""]) => link);
  expect(links.every((link) => link.startsWith(`${origin}/`))).toBe(true);
  expect(mail?.text).not.toContain("https://evil");
});

test.each(["before", "after"] as const)(
  "after a run of mails is killed %s any of its writes, the next run still writes one mail for each member",
  async (when) => {
    const made = await users("Ann", "Ben", "Cat");
    const world = await open(made.map((user) => ({ user, role: "owner" as const })));
    await apply(world, 2);
    await apply(await open(made.slice(0, 2).map((user) => ({ user, role: "owner" as const }))), 1);
    const real = databaseAt(database.url);
    let kills = 0;
    for (let left = 0; ; left += 1) {
      let writes = 0;
      const failing = {
        ...real,
        read: real.read,
        async write(statements: Parameters<typeof real.write>[0]) {
          writes += 1;
          if (writes <= left) return real.write(statements);
          if (when === "after") await real.write(statements);
          throw new Error("killed");
        },
      };
      try {
        await writeTeamMails({ homeUrl: database.url, home: failing }, monday);
        break;
      } catch (error) {
        expect(String(error)).toContain("killed");
        kills += 1;
      }
    }
    expect(kills).toBeGreaterThan(0);
    const client = openDatabaseClient(database.url);
    const { rows } = await client.execute("select id from mails where template = 'team_tasks'");
    expect(rows.map(({ id }) => id).toSorted()).toEqual(
      made.map(({ userId }) => `team.2026-11-30.${userId}`).toSorted(),
    );
    expect((await client.execute("select * from team_mail_tasks")).rows).toEqual([]);
  },
);

test("a write of a mail run that reaches the database again after the run's later writes has no effect", async () => {
  const [ann] = (await users("Ann")) as [User];
  await apply(await open([{ user: ann, role: "owner" }]), 1);
  const real = databaseAt(database.url);
  const sent: Parameters<typeof real.write>[0][] = [];
  const recording = {
    ...real,
    read: real.read,
    write(statements: Parameters<typeof real.write>[0]) {
      sent.push(statements);
      return real.write(statements);
    },
  };
  await writeTeamMails({ homeUrl: database.url, home: recording }, monday);
  const client = openDatabaseClient(database.url);
  await client.execute("update mails set due_at = null, delivered_at = 1, content = null");
  for (const statements of sent) await real.write(statements);
  expect((await client.execute("select id, delivered_at from mails")).rows).toEqual([
    { id: `team.2026-11-30.${ann.userId}`, delivered_at: 1 },
  ]);
  expect((await client.execute("select * from team_mail_tasks")).rows).toEqual([]);
});

test("the tasks of programs on other shards are read there, and an unreachable shard delays the mails by at most 20 minutes", async () => {
  const other = await addDatabase();
  const [ann, ben] = (await users("Ann", "Ben")) as [User, User];
  const atHome = await open([{ user: ann, role: "owner" }]);
  await apply(atHome, 1);
  const far = { shard: 1, homeUrl: database.url, url: other.url };
  const away = await createWorld(far, { members: [{ user: ben, role: "owner" }] });
  await apply(away, 2);
  const down = { homeUrl: database.url, shards: new Map([[1, databaseAt("http://127.0.0.1:1")]]) };
  const up = { homeUrl: database.url, shards: new Map([[1, databaseAt(other.url)]]) };
  const second = await writeTeamMails(down, monday);
  expect(second).toBe(monday + 10 * 60_000);
  expect(await mailsTo(ann)).toEqual([]);
  const third = await writeTeamMails(down, second);
  expect(third).toBe(second + 10 * 60_000);
  await writeTeamMails(down, third);
  expect([await mailsTo(ann), await mailsTo(ben)].map(({ length }) => length)).toEqual([1, 0]);
  // The next day, the shard is reachable again in the second pass.
  const again = await writeTeamMails(down, tuesday);
  await writeTeamMails(up, again);
  expect((await mailsTo(ben))[0]?.text).toContain("2 people want to become partners");
  // A program that is being migrated is also retried in a second pass.
  await openDatabaseClient(other.url).execute("update programs set place = 'arriving', left_to = 0");
  expect(await writeTeamMails(up, tuesday + dayMs)).toBe(tuesday + dayMs + 10 * 60_000);
});

test("each step of a mail run reads and writes a limited number of rows, for any number of programs and members", async () => {
  const [programs, members] = isWhole ? [2_000, 5] : [150, 5];
  const client = openDatabaseClient(database.url);
  const each = `from generate_series(1, ${programs}) p`;
  await client.batch(
    [
      `insert into workspaces (id, name, created_at) select 'w' || p.value, 'W', 0 ${each}`,
      `insert into programs (id, workspace_id, name, currency, timezone, lead_auth, attribution_model, attribution_window_days, status, created_at)
        select 1000 + p.value, 'w' || p.value, 'Shop ' || p.value, 'EUR', 'UTC', 'browser_allowed', 'last_click', 30, 'active', 0 ${each}`,
      `insert into users (id, name, email, email_verified, created_at, updated_at)
        select 'u' || p.value || '-' || m.value, 'U', 'u' || p.value || '-' || m.value || '@people.example', 1, 0, 0
        ${each}, generate_series(1, ${members}) m`,
      `insert into memberships (id, workspace_id, user_id, role, status, created_at)
        select 'm' || p.value || '-' || m.value, 'w' || p.value, 'u' || p.value || '-' || m.value, 'owner', 'active', 0
        ${each}, generate_series(1, ${members}) m`,
      `insert into applications (id, program_id, account_id, name, answers, status, created_at)
        select p.value, 1000 + p.value, 'a', 'Ben', '{}', 'pending', 1 ${each}`,
    ],
    "write",
  );
  const { database: home, counted } = countingDatabase(databaseAt(database.url));
  await writeTeamMails({ homeUrl: database.url, home }, monday);
  const mails = await client.execute("select count(*) as n from mails where template = 'team_tasks'");
  expect(mails.rows).toEqual([{ n: programs * members }]);
  const most = (mode: Counted["mode"], of: "statements" | "rows") =>
    Math.max(...counted.filter((one) => one.mode === mode).map((one) => one[of]));
  // The largest read is a page of 20 programs with their members.
  expect(most("read", "rows")).toBeLessThanOrEqual(20 + 20 * members);
  expect(most("read", "statements")).toBe(10);
  expect(most("write", "statements")).toBeLessThanOrEqual(200);
  const steps = programs / 20 + (programs * members) / 95;
  // At most one request for each program, four for each step, and a few more.
  expect(counted.length).toBeLessThan(programs + 4 * steps + 20);
  expect(await readTeamMailRun(databaseAt(database.url))).toMatchObject({ day: "2026-11-30", endedAt: monday });
});
