import { expect, test } from "vitest";
import { dayIn } from "#domain/calendar.ts";
import { maxOpenedADay } from "#domain/open-page.ts";
import type { Json, Reply } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import type { World, WorldSettings } from "../../harness/world.ts";
import { sharedApi, sharedService, sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const told = ({ status, body: { error } }: Reply<unknown>) => [status, error.details?.code ?? error.message];
const programOf = ({ programId }: World) => `/api/programs/${programId}`;

interface Applied {
  readonly status: string;
  readonly programId: number;
  readonly partnerId: number | null;
}

const pageOf = ({ programId }: World, mode: string, groupId: number | null = null) => ({
  ...{ mode, slug: `shop-${programId}`, headline: "", description: "", questions: [], groupId },
});
const save = (world: World, mode: string, groupId?: number) =>
  people.admin.put(`${programOf(world)}/join`, pageOf(world, mode, groupId));
const shown = async (world: World) =>
  (await createSession(sharedService.url).get<{ data: { isOpen: boolean } }>(`/api/join/shop-${world.programId}`)).body;
const applyTo = ({ programId }: World, user: Session, name = "Ada Blogs") =>
  user.post<{ data: Applied }>(`/api/join/shop-${programId}`, { name, answers: {} });
const ownApplication = async ({ programId }: World, user: Session) =>
  (await user.get<{ data: Json }>(`/api/join/shop-${programId}/application`)).body.data;
const codesOf = async ({ programId, rows }: World) =>
  (await rows("select code from referral_links where program_id = ? order by id", programId)).map(({ code }) => code);
const modeOf = async ({ programId, rows }: World) =>
  (await rows("select mode from join_pages where program_id = ?", programId))[0]?.mode;

const risk = (self_referral: string) => ({
  signals: { self_referral, duplicate_source: "hold", blocked_source: "hold" },
  blockedHosts: [],
});

async function newPage(settings: WorldSettings = {}) {
  const world = await people.world({ program: { leadAuth: "server_required" }, partners: [], ...settings });
  expect((await save(world, "open")).status).toBe(200);
  return world;
}

test("a join page can admit partners without approval only if leads must come from a server and self-referrals are held, and locks both settings", async () => {
  const world = await people.world({ program: { selfReferral: "flag" } });
  const opened = await save(world, "open");
  expect(opened.body.error.details).toEqual({ code: "open_needs", missing: ["leadAuth", "self_referral"] });
  expect(await world.rows("select * from join_slugs where program_id = ?", world.programId)).toEqual([]);
  const update = (changes: Json) => people.admin.patch(programOf(world), changes);
  await update({ leadAuth: "server_required" });
  expect((await save(world, "open")).body.error.details).toEqual({ code: "open_needs", missing: ["self_referral"] });

  const kept = await newPage();
  const toBrowsers = await people.admin.patch(programOf(kept), { leadAuth: "browser_allowed" });
  expect(toBrowsers.body.error.details).toEqual({ code: "join_page_open", needs: ["leadAuth"] });
  const flagged = await people.admin.put(`${programOf(kept)}/risk`, risk("flag"));
  expect(flagged.body.error.details).toEqual({ code: "join_page_open", needs: ["self_referral"] });
  expect((await people.admin.put(`${programOf(kept)}/risk`, risk("hold"))).status).toBe(200);
  expect((await people.admin.patch(programOf(kept), { name: "Another" })).status).toBe(200);
  expect(await shown(kept)).toMatchObject({ data: { isOpen: true } });
  expect((await save(kept, "approval")).status).toBe(200);
  expect((await people.admin.patch(programOf(kept), { leadAuth: "browser_allowed" })).status).toBe(200);
  expect(await shown(kept)).toMatchObject({ data: { isOpen: false } });
});

test("if a join page starts to admit partners without approval while a required setting changes, one of the two calls is refused", async () => {
  for (const _ of [1, 2, 3, 4, 5]) {
    const world = await people.world({ program: { leadAuth: "server_required" } });
    const replies = await Promise.all([
      save(world, "open"),
      people.admin.patch(programOf(world), { leadAuth: "browser_allowed" }),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [open, update] = replies;
    expect(await modeOf(world)).toBe(open.status === 200 ? "open" : undefined);
    expect(told(update.status === 409 ? update : open)[1]).toBe(
      update.status === 409 ? "join_page_open" : "open_needs",
    );
  }
});

test("an applicant on an open join page becomes a partner immediately, and only once if the call is repeated", async () => {
  const world = await newPage({ groups: [{ name: "Gold" }] });
  const { programId } = world;
  await people.admin.post(`${programOf(world)}/terms`, { text: "Be kind." });
  const groupId = world.groups[0]?.id ?? 0;
  expect((await save(world, "open", groupId)).status).toBe(200);
  const ada = await sharedUser();
  const apply = () =>
    ada.post<{ data: Applied }>(`/api/join/shop-${programId}`, { name: "Ada Blogs", answers: {}, termsVersion: 1 });
  expect(told(await applyTo(world, ada))).toEqual([409, "terms_changed"]);
  const replies = await Promise.all([apply(), apply(), apply()]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
  const [{ data } = expect.unreachable()] = replies.map(({ body }) => body);
  expect(data).toEqual({ status: "approved", programId, partnerId: expect.any(Number) });
  for (const { body } of replies) expect(body.data).toEqual(data);

  const { partnerId } = data;
  expect(await world.rows("select id, name, email from partners where program_id = ?", programId)).toEqual([
    { id: partnerId, name: "Ada Blogs", email: ada.email },
  ]);
  expect(await codesOf(world)).toEqual(["ada-blogs"]);
  expect(
    await world.rows("select group_id, effective_from from group_memberships where partner_id = ?", partnerId),
  ).toEqual([{ group_id: groupId, effective_from: 0 }]);
  expect(
    await world.rows("select partner_id, account_id, version from accepted_terms where program_id = ?", programId),
  ).toEqual([{ partner_id: partnerId, account_id: ada.userId, version: 1 }]);
  const mine = await ada.get<{ data: Json[] }>("/api/partner/programs");
  expect(mine.body.data).toMatchObject([{ programId, partnerId, role: "manage", termsPending: false }]);
  expect(await ownApplication(world, ada)).toMatchObject({ status: "approved", partnerId, isOpened: true });
  const listed = await people.viewer.get<{ data: Json[] }>(`${programOf(world)}/applications?status=approved`);
  expect(listed.body.data).toMatchObject([{ partnerId, openedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }]);
  expect(await world.audit()).toEqual([]);
});

test("concurrent applicants with the same name receive different codes", async () => {
  const world = await newPage();
  const users = await Promise.all([1, 2, 3, 4, 5].map(() => sharedUser()));
  const replies = await Promise.all(users.map((user) => applyTo(world, user, "Ann")));
  expect(replies.map(({ status, body }) => [status, body.data.status])).toEqual(users.map(() => [201, "approved"]));
  const codes = await codesOf(world);
  expect(new Set(codes).size).toBe(5);
  expect(codes).toEqual(expect.arrayContaining(["ann", "ann-2", "ann-3"]));
});

test("applicants above the daily limit wait for a decision, and the limit starts again the next day", async () => {
  const timezone = "Pacific/Kiritimati";
  const world = await newPage({ program: { leadAuth: "server_required", timezone } });
  const today = dayIn(timezone, Date.now());
  const first = (await applyTo(world, await sharedUser())).body.data;
  expect(first.status).toBe("approved");
  const openedOn = await world.rows("select opened_on from applications where program_id = ?", world.programId);
  expect(openedOn).toEqual([{ opened_on: today }]);
  await world.write({
    sql: `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
      insert into applications (id, program_id, account_id, name, answers, status, partner_id, decided_at, opened_on, created_at)
      select -(? * 1000 + n), ?, 'filled ' || n, 'A', '{}', 'approved', ?, 1, ?, 1 from numbers`,
    args: [maxOpenedADay - 1, world.programId, world.programId, first.partnerId, today],
  });
  const late = await sharedUser();
  const waiting = { status: "pending", programId: world.programId, partnerId: null };
  expect(
    [await applyTo(world, late), await applyTo(world, late)].map(({ status, body }) => [status, body.data]),
  ).toEqual([201, 200].map((status) => [status, waiting]));
  await world.write({
    sql: "update applications set opened_on = date(opened_on, '-1 day') where program_id = ? and opened_on is not null",
    args: [world.programId],
  });
  expect((await applyTo(world, await sharedUser(), "Bob")).body.data.status).toBe("approved");
  expect((await applyTo(world, late)).body.data).toEqual(waiting);
  await world.write(
    { sql: "delete from applications where account_id like 'filled %' and program_id = ?", args: [world.programId] },
    {
      sql: "update applications set opened_on = ? where program_id = ? and opened_on is not null",
      args: [today, world.programId],
    },
  );
  expect(await world.audit()).toEqual([]);
});

test("an applicant who was declined before, or is a partner already, waits for a decision", async () => {
  const world = await people.world({ program: { leadAuth: "server_required" } });
  expect((await save(world, "approval")).status).toBe(200);
  const [declined, partner] = [await sharedUser(), await sharedUser()];
  await applyTo(world, declined);
  const [application] = await world.rows("select id from applications where program_id = ?", world.programId);
  await people.admin.post(`${programOf(world)}/applications/${application?.id}/decline`, {});
  const invited = await people.admin.post<{ data: { inviteUrl: string } }>(
    `${programOf(world)}/partners/${world.partner.id}/invitations`,
    {},
  );
  const token = new URLSearchParams(invited.body.data.inviteUrl.split("?")[1]).get("token") ?? "";
  expect((await partner.post("/api/partner/invitations/accept", { token })).status).toBe(200);
  expect((await save(world, "open")).status).toBe(200);
  expect(told(await applyTo(world, declined))).toEqual([409, "declined"]);
  await world.write({
    sql: "update applications set decided_at = ? where program_id = ? and status = 'declined'",
    args: [Date.now() - 30 * 86_400_000 - 1, world.programId],
  });
  for (const user of [declined, partner]) {
    expect((await applyTo(world, user)).body.data).toMatchObject({ status: "pending", partnerId: null });
  }
});

test("the commission is held if a partner who joined by an open join page buys with their own link", async () => {
  const world = await newPage();
  const api = sharedApi();
  const ada = await sharedUser();
  const { data } = (await applyTo(world, ada)).body;
  const { key, programId } = world;
  const sell = async (customer_key: string, email: string) => {
    const click = await api.click({ affiliate_url: "https://shop.example/?aff=ada-blogs", program_id: programId });
    expect((await api.lead({ customer_key, email, click_id: click.body.click_id }, { key })).status).toBe(200);
    const sale = { transaction_id: `by ${customer_key}`, customer_key, amount_cents: 4_900 };
    const { body } = await api.sale(sale, { key });
    return body.commission;
  };
  expect(await sell("herself", ada.email.toUpperCase())).toMatchObject({ status: "pending", held: true });
  expect(await sell("another", "another@people.example")).toMatchObject({ status: "pending", held: false });
  const signals = await world.rows("select * from commission_signals where program_id = ?", programId);
  expect(signals).toMatchObject([{ code: "self_referral", effect: "hold", partner_id: data.partnerId }]);
  // The partner's email address may change, so the account's address is compared, too.
  await people.admin.patch(`${programOf(world)}/partners/${data.partnerId}`, { email: "elsewhere@people.example" });
  expect(await sell("again", ada.email)).toMatchObject({ held: true });
});
