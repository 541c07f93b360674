import { beforeAll, expect, test } from "vitest";
import type { Json, Reply } from "../../harness/client.ts";
import { createSession, type Session, type User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { isolatedService } from "../support/isolated-service.ts";
import { mailReceiver } from "../support/mail-receiver.ts";
import { partnerSide } from "../support/partner-side.ts";
import { turnOnTotp } from "../support/totp.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

const open = (partners: readonly object[] = [{}]) => own.world({ partners, members: [{ user: owner, role: "owner" }] });
const partnersOf = ({ programId }: World) => `/api/programs/${programId}/partners`;
const invite = (world: World, body: Json = {}) =>
  owner.post(`${partnersOf(world)}/${world.partner.id}/invitations`, body);
const withAddress = (world: World, email: string) =>
  world.change({
    sql: "update partners set email = ?1, email_hash = 'of an address' where program_id = ?2",
    args: [email, world.programId],
  });

async function statuses(count: number, send: (i: number) => Promise<Reply<unknown>>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) found.push((await send(i)).status);
  return found;
}
const times = (count: number, status: number) => Array.from({ length: count }, () => status);
const expectRetryAfter = ({ headers }: Reply<unknown>) => expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);

test("an address receives at most ten invitations a day from all programs", async () => {
  const [first, second] = [await open(), await open()];
  const email = `ann-${first.programId}@example.com`;
  for (const world of [first, second]) await withAddress(world, email);
  expect(await statuses(10, (i) => invite(i % 2 === 0 ? first : second))).toEqual(times(10, 201));
  for (const world of [first, second]) {
    const refused = await invite(world);
    expect(refused.status).toBe(429);
    expectRetryAfter(refused);
    expect((await invite(world, { mail: false })).status).toBe(201);
  }
});

interface Outcomes {
  readonly data: { readonly outcomes: readonly { readonly partnerId: number; readonly result: string }[] };
}

const results = ({ body }: Reply<Outcomes>) => body.data.outcomes.map(({ result }) => result).toSorted();

test("a bulk invitation sends one email to each address, and can be repeated at most five times a day", {
  tags: "soak",
}, async () => {
  const world = await open([{ name: "Ann" }, { name: "Bob" }, { name: "Cid" }]);
  const email = `many-${world.programId}@example.com`;
  await withAddress(world, email);
  await world.change({ sql: "update partners set email = null, email_hash = null where name = 'Cid'", args: [] });
  const all = (body: Json) => owner.post<Outcomes>(`${partnersOf(world)}/invitations`, body);
  const [sent, atOnce] = await Promise.all([all({ mail: true }), all({ mail: true })]);
  const [first, second] = [results(sent), results(atOnce)].toSorted(
    (a, b) => Number(b.includes("mailed")) - Number(a.includes("mailed")),
  );
  expect([first, second?.includes("mailed")]).toEqual([["mailed", "no_address", "same_address"], false]);
  expect(results(await all({ mail: true }))).toEqual(["already_mailed", "no_address", "same_address"]);
  const forget = {
    sql: "update partner_invitations set mailed_at = null where program_id = ?",
    args: [world.programId],
  };
  for (let i = 0; i < 3; i += 1) {
    await world.change(forget);
    expect((await all({ mail: true })).status).toBe(202);
  }
  await world.change(forget);
  const refused = await all({ mail: true });
  expect(refused.status).toBe(429);
  expectRetryAfter(refused);
  expect((await all({})).status).toBe(200);
});

test("a partner's payment details can be changed at most ten times a day if each change sends an email to one address, and access can always be removed", {
  tags: "soak",
}, async () => {
  const world = await open();
  await withAddress(world, `det-${world.programId}@example.com`);
  const ada = await own.user("Ada");
  const side = await partnerSide(world, ada, world.partner.id);
  const set = (i: number) =>
    ada.put(`${side}/payment`, {
      ...{ method: "paypal", account: `ada${i}@pay.example`, holder: "Ada", password: ada.password },
    });
  expect(await statuses(11, set)).toEqual([...times(10, 200), 429]);
  const same = { email: `det-${world.programId}@example.com` };
  expect((await owner.patch(`${partnersOf(world)}/${world.partner.id}`, same)).status).toBe(200);
  expect((await owner.delete(`${partnersOf(world)}/${world.partner.id}/access/${ada.userId}`)).status).toBe(200);
  expect(await world.audit()).toEqual([]);
});

test("an account receives at most five verification emails an hour", async () => {
  const user = await own.user();
  await setVerified(own.database.url, user, false);
  const replies = await statuses(5, () => user.post("/api/auth/send-verification", {}));
  expect(replies).toEqual(times(5, 200));
  const refused = await user.post("/api/auth/send-verification", {});
  expect(refused.status).toBe(429);
  expectRetryAfter(refused);
});

test("the verification email of a sign-up counts toward the limit of verification emails, and a refused sign-up doesn't count", async () => {
  const account = { name: "Vera", email: `${crypto.randomUUID()}@people.example`, password: "a password of hers" };
  const signUp = (session: Session) => session.post("/api/auth/sign-up/email", account);
  const vera = createSession(own.service.url);
  expect((await signUp(vera)).status).toBe(200);
  expect((await signUp(createSession(own.service.url))).status).toBe(409);
  const sent = await statuses(4, () => vera.post("/api/auth/send-verification", {}));
  expect(sent).toEqual(times(4, 200));
  const refused = await vera.post("/api/auth/send-verification", {});
  expect(refused.status).toBe(429);
  // Deleting the account frees the address, but doesn't reset the address's limit.
  expect((await vera.delete("/api/auth/user", { body: { password: account.password } })).status).toBe(200);
  const again = await signUp(createSession(own.service.url));
  expect(again.status).toBe(429);
  expectRetryAfter(again);
});

test("an account receives at most ten emails a day about used recovery codes, even after it creates new codes", async () => {
  const user = await own.user();
  const use = (code: string) => user.post("/api/auth/reauthenticate", { code });
  const wrong = await statuses(3, () => use("AAAA-AAAA-AAAA-AAAA"));
  const [last = "", ...first] = (await turnOnTotp(user)).recoveryCodes;
  wrong.push(...(await statuses(3, () => use("AAAA-AAAA-AAAA-AAAA"))));
  expect(wrong).toEqual(times(6, 400));
  expect(await statuses(first.length, (i) => use(first[i] ?? ""))).toEqual(times(9, 200));
  expect((await user.delete("/api/auth/totp", { body: { password: user.password, code: last } })).status).toBe(200);
  const again = (await turnOnTotp(user)).recoveryCodes;
  expect(await statuses(3, (i) => use(again[i] ?? ""))).toEqual(times(3, 200));
  const [mails] = await (await open()).rows(
    "select count(*) as n from mails where template = 'account_changed' and id like '%.recovery_code_used'",
  );
  expect(mails).toEqual({ n: 10 });
});

test("a user and a workspace can each send emails to at most 200 strangers a day across all programs", async () => {
  const partners = Array.from({ length: 203 }, (_, i) => ({ name: `P${i}` }));
  const rita = await own.user("Rita");
  const ofRita = (those: readonly object[] = [{}]) =>
    own.world({ partners: those, members: [{ user: rita, role: "owner" }] });
  const world = await ofRita(partners);
  const known = await own.user("Known");
  const address = (i: string) => `'s' || ${i} || '-${world.programId}@example.com'`;
  await world.change({
    sql: `update partners set email = ${address("id")}, email_hash = 'of an address' where program_id = ?`,
    args: [world.programId],
  });
  await world.write({ sql: "update partners set email = ? where id = ?", args: [known.email, world.partner.id] });
  const sent = await rita.post<Outcomes>(`${partnersOf(world)}/invitations`, { mail: true });
  const mailed = sent.body.data.outcomes.filter(({ result }) => result === "mailed");
  expect(mailed).toHaveLength(201);
  expect(mailed.some(({ partnerId }) => partnerId === world.partner.id)).toBe(true);

  // The partner's address is that of an account, so it isn't a stranger's.
  expect((await rita.post(`${partnersOf(world)}/${world.partner.id}/invitations`, {})).status).toBe(201);
  const stranger = (at: World) => `${partnersOf(at)}/${at.partner.id}/invitations`;
  const other = await ofRita();
  await withAddress(other, `another-${other.programId}@example.com`);
  const ofOther = await rita.post(stranger(other), {});
  expect(ofOther.status).toBe(429);
  expectRetryAfter(ofOther);

  // Above the limit, only partners whose address is that of an account with access receive an email about a payout.
  const paying = await ofRita([{ name: "Ann" }, { name: "Bob" }]);
  const path = `/api/programs/${paying.programId}`;
  await paying.write({
    sql: "update partners set email = 'p' || id || '@example.com', email_hash = 'h' where program_id = ?",
    args: [paying.programId],
  });
  const ids = (await paying.rows("select id from partners where program_id = ? order by id", paying.programId)).map(
    ({ id }) => Number(id),
  );
  const ann = await own.user("Ann");
  await partnerSide(paying, ann, ids[0] ?? 0);
  await paying.write({ sql: "update partners set email = ? where id = ?", args: [ann.email, ids[0] ?? 0] });
  const bonus = { amountCents: 100, currency: "EUR", reason: "bonus" };
  for (const id of ids) {
    const made = await rita.post(`${path}/partners/${id}/adjustments`, { ...bonus, reference: `r${id}` });
    expect(made.status, made.text).toBe(201);
  }
  const payout = await rita.post<{ data: { id: number } }>(`${path}/payouts`, { currency: "EUR" });
  const confirmed = await rita.post(`${path}/payouts/${payout.body.data.id}/confirm`, { expectedTotalCents: 200 });
  expect(confirmed.status, confirmed.text).toBe(200);
  const told = await paying.rows(
    "select l.partner_id from mails m join payout_lines l on l.id = m.payout_line_id where m.program_id = ?",
    paying.programId,
  );
  expect(told.map(({ partner_id }) => Number(partner_id))).toEqual(ids.slice(0, 1));

  const admin = await own.user("Adam");
  const shared = await own.world({
    partners: [{}],
    members: [{ user: admin, role: "owner" }],
  });
  await withAddress(shared, `third-${shared.programId}@example.com`);
  expect((await admin.post(stranger(shared), {})).status).toBe(201);
  await world.write({
    sql: "insert into memberships (id, workspace_id, user_id, role, status, created_at) values (?, ?, ?, 'owner', 'active', 0)",
    args: [crypto.randomUUID(), world.workspaceId, admin.userId],
  });
  const last = Number(
    (
      await world.rows(
        "select max(id) as id from partners where program_id = ? and id <> ?",
        ...[world.programId, world.partner.id],
      )
    )[0]?.id,
  );
  expect((await admin.post(`${partnersOf(world)}/${last}/invitations`, {})).status).toBe(429);
});
