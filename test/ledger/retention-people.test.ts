import { beforeEach, expect, it } from "vitest";
import { minClickRetentionDays } from "#domain/retention.ts";
import { maxStepsPerRun } from "#ledger/retention.ts";
import { maxRowsPerStep, programStep } from "#ledger/retention-steps.ts";
import { anyExpired, removeExpired } from "#store/accounts/expired.ts";
import { removal } from "#store/retention.ts";
import type { Statement } from "#store/statement.ts";
import { databaseAt } from "../../harness/database-client.ts";
import { createWorld, type Partner, type World } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { day, daysAgo } from "../support/program-fixture.ts";
import { queryPlans } from "../support/query-plans.ts";

const own = isolatedDatabase({ engine: "sqld" });
const { scansIn, plansOf } = queryPlans(() => own.server.url);

let world: World;
let alice: Partner;
let bob: Partner;
let calls: ReturnType<typeof callsOf>;

beforeEach(async () => {
  world = await createWorld(own.server.url, { partners: [{}, {}] });
  [alice, bob] = world.partners as [Partner, Partner];
  calls = callsOf(world, own.proxy.url);
});

const insertApplication = (id: number, status: string, decidedAt: number | null, noteId: number | null) => ({
  sql: `insert into applications (id, program_id, account_id, name, website, answers, status, partner_note_id, decided_at, created_at)
    values (?, ?, ?, 'Ada', 'https://ada.example', '{"q":"me"}', ?, ?, ?, ?)`,
  args: [id, world.programId, `account ${id}`, status, noteId, decidedAt, daysAgo(300)],
});

const insertClaim = (id: number, decidedAt: number | null) => ({
  sql: `insert into claims (id, program_id, partner_id, day, reference_id, note_id, status, partner_note_id, pays_past,
      decided_at, has_texts, created_at)
    values (?1, ?2, ?3, '2026-01-01', ?1, ?1 + 1, ?4, iif(?5 is null, null, ?1 + 2), 0, ?5, 1, 0)`,
  args: [id, world.programId, alice.id, decidedAt === null ? "open" : "declined", decidedAt],
});

it("retention empties the texts of a claim about a missing sale 90 days after the decision", async () => {
  const { programId } = world;
  const ids = [91, 89, null].map((days, i) => ({ id: programId * 10 + i * 3, at: days && daysAgo(days) }));
  await world.write({
    sql: `insert into notes (id, program_id, kind, subject, text)
      with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 8)
      select ? + n, ?, 'note', 'claim', 'Text ' || n from numbers`,
    args: [programId * 10, programId],
  });
  await world.write(...ids.map(({ id, at }) => insertClaim(id, at)));
  await world.write({ sql: "update program_retention set due_at = 0 where program_id = ?", args: [programId] });
  await calls.maintain();
  const texts = await world.rows("select text from notes where program_id = ? order by id", programId);
  expect(texts.map(({ text }) => text)).toEqual([null, null, null, ...[3, 4, 5, 6, 7, 8].map((n) => `Text ${n}`)]);
  const claims = await world.rows("select has_texts from claims where program_id = ? order by id", programId);
  expect(claims.map(({ has_texts: hasTexts }) => hasTexts)).toEqual([0, 1, 1]);
});

it("retention deletes the content of a declined application after 180 days, and an invitation 30 days after its end", async () => {
  const { programId } = world;
  const id = programId * 10;
  const invite = (partner: Partner, expiresAt: number) => ({
    sql: `insert into partner_invitations (partner_id, program_id, token_hash, role, expires_at, created_at)
      values (?, ?, ?, 'manage', ?, 0)`,
    args: [partner.id, programId, `hash ${partner.id}`, expiresAt],
  });
  await world.write(
    {
      sql: "insert into notes (id, program_id, kind, subject, text) values (?, ?, 'note', ?, 'Not you')",
      args: [id, programId, `application ${id}`],
    },
    insertApplication(id, "declined", daysAgo(181), id),
    insertApplication(id + 1, "declined", daysAgo(179), null),
    insertApplication(id + 2, "pending", null, null),
    invite(alice, daysAgo(31)),
    invite(bob, daysAgo(29)),
  );
  await world.write({ sql: "update program_retention set due_at = 0 where program_id = ?", args: [programId] });
  await calls.maintain();
  const applications = "select id, name, website, answers from applications where program_id = ? order by id";
  const whole = { name: "Ada", website: "https://ada.example", answers: '{"q":"me"}' };
  expect(await world.rows(applications, programId)).toEqual([
    { id, name: "", website: null, answers: "{}" },
    { id: id + 1, ...whole },
    { id: id + 2, ...whole },
  ]);
  expect(await world.rows("select text from notes where id = ?", id)).toEqual([{ text: null }]);
  const invitations = "select partner_id from partner_invitations where program_id = ?";
  expect(await world.rows(invitations, programId)).toEqual([{ partner_id: bob.id }]);
});

it("retention removes expired data of accounts, but keeps what determines whether an address may sign up", async () => {
  const at = daysAgo(40);
  const user = (id: string, isVerified: number) => ({
    sql: "insert into users (id, name, email, email_verified, created_at, updated_at) values (?1, 'U', ?1 || '@x.example', ?2, ?3, ?3)",
    args: [id, isVerified, at],
  });
  const session = (id: string, expiresAt: number) => ({
    sql: "insert into sessions (id, token, user_id, expires_at, confirmed_at, created_at, updated_at) values (?1, ?1, 'u', ?2, 0, 0, 0)",
    args: [id, expiresAt],
  });
  const link = (id: string, userId: string, expiresAt: number, createdAt: number) => ({
    sql: "insert into verifications (id, identifier, value, expires_at, created_at, updated_at) values (?1, ?1, ?2, ?3, ?4, ?4)",
    args: [id, userId, expiresAt, createdAt],
  });
  const token = (id: string, usedBy: string | null, expiresAt: number) => ({
    sql: "insert into sign_up_tokens (token_hash, used_by, expires_at, created_at) values (?, ?, ?, 0)",
    args: [id, usedBy, expiresAt],
  });
  const invitation = (id: string, expiresAt: number) => ({
    sql: `insert into invitations (id, workspace_id, token_hash, email, role, invited_by, expires_at, created_at)
      values (?1, ?2, ?1, 'a@x.example', 'viewer', 'u', ?3, 0)`,
    args: [id, world.workspaceId, expiresAt],
  });
  await world.write(
    ...[user("u", 1), user("unverified", 0)],
    ...[session("over", daysAgo(2)), session("live", daysAgo(-2))],
    ...[link("verify-address:over", "u", daysAgo(39), at), link("verify-address:live", "u", daysAgo(-1), at + day)],
    ...[link("verify-address:asked", "unverified", daysAgo(39), at), link("reset:over", "unverified", daysAgo(39), at)],
    ...[token("over", null, daysAgo(31)), token("used", "u", daysAgo(31)), token("live", null, daysAgo(-1))],
    ...[invitation("over", daysAgo(31)), invitation("expired", daysAgo(29))],
  );
  await calls.maintain();
  const ids = async (table: string, key: string) =>
    (await world.rows(`select ${key} as id from ${table} order by 1`)).map(({ id }) => id);
  expect(await ids("sessions", "id")).toEqual(["live"]);
  expect(await ids("verifications", "id")).toEqual(["verify-address:asked", "verify-address:live"]);
  expect(await ids("sign_up_tokens", "token_hash")).toEqual(["live", "used"]);
  expect(await ids("invitations", "id")).toEqual(["expired"]);
});

it("retention continues immediately while more has expired than one run removes", async () => {
  const sessions = maxRowsPerStep * maxStepsPerRun + 1;
  await world.write(
    "insert into users (id, name, email, email_verified, created_at, updated_at) values ('v', 'V', 'v@x.example', 1, 0, 0)",
    {
      sql: `insert into sessions (id, token, user_id, expires_at, confirmed_at, created_at, updated_at)
        select 's' || value, 's' || value, 'v', 1, 0, 0, 0 from generate_series(1, ?)`,
      args: [sessions],
    },
  );
  expect(await calls.maintain()).toBeLessThan(daysAgo(0) + 60_000);
  await calls.maintain();
  expect(await world.rows("select id from sessions where user_id = 'v'")).toEqual([]);
});

it("no statement of retention scans a table, and clicks are read in index order", async () => {
  const { programId } = world;
  const sent: Statement[] = [];
  const database = {
    read: (statements: readonly Statement[]) => {
      sent.push(...statements);
      return databaseAt(own.server.url).read(statements);
    },
  };
  const { writes } = await programStep(database, { programId, clickDays: minClickRetentionDays, at: daysAgo(0) });
  expect(writes).toHaveLength(1);
  const before = { programId, before: 1 };
  const from = { isTestFrom: false, eventIdFrom: "", linkIdFrom: 0 };
  const events = { ...from, isTest: false, eventId: "e", linkId: 1 };
  const statements = [
    ...[
      ...sent,
      ...writes,
      anyExpired({ links: 1, invitations: 1 }),
      ...removeExpired({ links: 1, invitations: 1 }, 9),
    ],
    ...[removal.removeClicks({ programId, ids: "[1]" }), removal.removeEventIds({ ...before, ...events })],
    ...[removal.forgetNotes, removal.forgetApplications, removal.removeInvitations].map((of) =>
      of({ ...before, ids: "[1]" }),
    ),
  ];
  expect(await scansIn(statements)).toEqual([]);
  const clicks = await plansOf(sent, /clicks_recent/);
  expect(clicks).toEqual([expect.stringContaining("(program_id=? AND is_test=? AND occurred_at>? AND occurred_at<?)")]);
  // The only sort is among clicks with equal instants.
  const sorts = await plansOf(sent, /TEMP B-TREE/);
  expect(sorts).toEqual([expect.stringMatching(/^USE TEMP B-TREE FOR (RIGHT PART|LAST TERM) OF ORDER BY/)]);
});
