import { expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import { createSession, type Session } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { invalidFields, refusedAs, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const programOf = ({ programId }: World) => `/api/programs/${programId}`;

interface Application {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly partnerId: number | null;
  readonly answers: Readonly<Record<string, string>>;
}
interface Applied {
  readonly status: string;
  readonly programId: number;
  readonly partnerId: number | null;
}

const question = { id: "where", label: "Where will you write about us?", required: true };
const pageAt = (slug: string, more: Json = {}) => ({
  ...{ mode: "approval", slug, headline: "Earn with us", description: "Line one\nline two", questions: [question] },
  ...(more as object),
});
const publish = (world: World, text: string) => people.admin.post(`${programOf(world)}/terms`, { text });
const applyTo = (user: Session, slug: string, more: Json = {}) =>
  user.post<{ data: Applied }>(`/api/join/${slug}`, {
    ...{ name: "Ada Blogs", website: "https://ada.example", answers: { where: "On my blog" }, termsVersion: 1 },
    ...(more as object),
  });
const applications = async (world: World, query = "") =>
  (await people.viewer.get<{ data: Application[] }>(`${programOf(world)}/applications${query}`)).body.data;
const ownApplication = (user: Session, slug: string) => user.get<{ data: Json }>(`/api/join/${slug}/application`);
const nobody = () => createSession(sharedService.url);

async function newPage() {
  const world = await people.world({ partners: [{ name: "Anna", code: "anna" }] });
  const slug = `shop-${world.programId}`;
  expect((await people.admin.put(`${programOf(world)}/join`, pageAt(slug))).status).toBe(200);
  expect((await publish(world, "Be kind.")).status).toBe(201);
  return { world, slug };
}

test("anyone can see an open join page, and receives the same 404 for a closed, inactive or unknown page", async () => {
  const { world, slug } = await newPage();
  expect((await nobody().get(`/api/join/${slug}`)).body).toEqual({
    data: {
      ...{ name: expect.any(String), website: expect.anything(), currency: "EUR", headline: "Earn with us" },
      ...{ description: "Line one\nline two", questions: [question], isOpen: false, commission: "20% of each sale" },
      terms: { version: 1, text: "Be kind.", createdAt: expect.stringMatching(/Z$/) },
      next: null,
    },
  });
  const unknown = (await nobody().get("/api/join/nobody-has-it")).text;
  const closed = async () => expect((await nobody().get(`/api/join/${slug}`)).text).toBe(unknown);
  await people.admin.put(`${programOf(world)}/join`, pageAt(slug, { mode: "closed" }));
  await closed();
  await people.admin.put(`${programOf(world)}/join`, pageAt(slug));
  await people.admin.patch(programOf(world), { status: "paused" });
  await closed();
  expect(refusedAs(await applyTo(await sharedUser(), slug))).toEqual([404, "Page not found"]);
});

test("a join page's slug is reserved for one program until its page has another slug", async () => {
  const [first, second] = [await newPage(), await newPage()];
  const save = (world: World, slug: string) => people.admin.put(`${programOf(world)}/join`, pageAt(slug));
  expect(refusedAs(await save(second.world, first.slug))).toEqual([409, "slug_taken"]);
  expect((await save(first.world, `${first.slug}-new`)).status).toBe(200);
  expect((await nobody().get(`/api/join/${first.slug}`)).status).toBe(404);
  expect((await save(second.world, first.slug)).status).toBe(200);
  expect((await nobody().get(`/api/join/${second.slug}`)).status).toBe(404);
  for (const bad of ["No", "ab", "a b c", "x".repeat(41)]) expect((await save(first.world, bad)).status).toBe(400);
  const twice = pageAt(first.slug, { questions: [question, question] });
  expect(invalidFields(await people.admin.put(`${programOf(first.world)}/join`, twice))).toEqual(["questions"]);
});

test("approving an application creates a partner with access and accepted terms, and only one partner if the approval is repeated", async () => {
  const { world, slug } = await newPage();
  const ada = await sharedUser();
  expect(refusedAs(await applyTo(nobody(), slug))[0]).toBe(401);
  expect(refusedAs(await ownApplication(nobody(), slug))[0]).toBe(401);
  expect((await ownApplication(ada, slug)).body.data).toBe(null);
  expect(refusedAs(await applyTo(ada, slug, { termsVersion: null }))).toEqual([409, "terms_changed"]);
  expect(invalidFields(await applyTo(ada, slug, { answers: {} }))).toEqual(["answers.where"]);
  const replies = await Promise.all([1, 2].map(() => applyTo(ada, slug)));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 201]);
  const programsOf = async () => (await ada.get<{ data: Json[]; meta: Json }>("/api/partner/programs")).body;
  const applied = [{ programId: world.programId, programName: expect.any(String) }];
  expect(await programsOf()).toEqual({ data: [], meta: { unavailable: 0, applications: applied } });
  const [open, ...others] = await applications(world, "?status=pending");
  expect([open?.name, open?.answers, others]).toEqual(["Ada Blogs", { where: "On my blog" }, []]);

  const path = `${programOf(world)}/applications/${open?.id}`;
  expect(refusedAs(await people.viewer.post(`${path}/approve`, {}))[0]).toBe(403);
  expect(refusedAs(await people.admin.post(`${path}/approve`, { code: "Anna" }))).toEqual([409, "code_taken"]);
  const decided = await Promise.all([1, 2, 3].map(() => people.admin.post(`${path}/approve`, {})));
  for (const { status } of decided) expect(status).toBe(200);
  expect(new Set(decided.map(({ text }) => text)).size).toBe(1);
  expect(refusedAs(await people.admin.post(`${path}/decline`, {}))).toEqual([409, "decided"]);

  const { programId } = world;
  const made = await world.rows(
    "select id, name, email from partners where program_id = ? and name <> 'Anna'",
    programId,
  );
  expect(made).toEqual([{ id: expect.any(Number), name: "Ada Blogs", email: ada.email }]);
  const partnerId = Number(made[0]?.id);
  const accepted = await world.rows(
    "select version, account_id, partner_id from accepted_terms where program_id = ?",
    programId,
  );
  expect(accepted).toEqual([{ version: 1, account_id: ada.userId, partner_id: partnerId }]);
  const links = await world.rows("select code from referral_links where partner_id = ?", partnerId);
  expect(links).toEqual([{ code: "ada-blogs" }]);
  expect(await programsOf()).toMatchObject({
    data: [{ programId, partnerId, role: "manage", termsPending: false }],
    meta: { applications: [] },
  });
  expect((await applyTo(ada, slug)).body.data).toEqual({ status: "approved", programId, partnerId });
  expect(await world.audit()).toEqual([]);
  expect((await ownApplication(ada, slug)).body.data).toMatchObject({ status: "approved", programId, partnerId });
});

test("a bulk decision applies to each application, and codes derived from the same name differ", async () => {
  const { world, slug } = await newPage();
  const users = await Promise.all([1, 2, 3].map(() => sharedUser()));
  for (const user of users) expect((await applyTo(user, slug, { name: "Ann" })).status).toBe(201);
  const ids = (await applications(world)).map(({ id }) => id);
  const decline = await people.admin.post(`${programOf(world)}/applications/decline`, {
    ids: [ids[0] ?? 0],
    partnerNote: "Not yet",
  });
  expect(decline.body).toEqual({ data: [{ id: ids[0], result: "declined" }] });
  const approve = await people.admin.post<{ data: Json[] }>(`${programOf(world)}/applications/approve`, { ids });
  expect(approve.body.data).toMatchObject([
    { id: ids[0], result: "refused", code: "decided" },
    { id: ids[1], result: "approved" },
    { id: ids[2], result: "approved" },
  ]);
  const codes = await world.rows("select code from referral_links where program_id = ? order by code", world.programId);
  expect(codes.map(({ code }) => code)).toEqual(["ann", "ann-2", "anna"]);
  const declined = users.at(-1) ?? expect.unreachable();
  expect((await applyTo(declined, slug)).body.error.details).toEqual({ code: "declined", partnerNote: "Not yet" });
  expect((await ownApplication(declined, slug)).body.data).toMatchObject({
    ...{ status: "declined", partnerId: null, partnerNote: "Not yet", canApplyAgainAt: expect.stringMatching(/Z$/) },
  });
  await world.write({
    sql: "update applications set decided_at = ? where program_id = ? and status = 'declined'",
    args: [Date.now() - 30 * 86_400_000 - 1, world.programId],
  });
  expect((await applyTo(declined, slug)).status).toBe(201);
});

test("a partner sees a new version of the terms as pending until they accept it", async () => {
  const { world } = await newPage();
  const user = await sharedUser();
  const partner = `partners/${world.partner.id}`;
  const invited = await people.admin.post<{ data: { inviteUrl: string } }>(
    `${programOf(world)}/${partner}/invitations`,
    {},
  );
  const token = new URLSearchParams(invited.body.data.inviteUrl.split("?")[1]).get("token") ?? "";
  const accept = (termsVersion?: number) =>
    user.post("/api/partner/invitations/accept", { token, ...(termsVersion !== undefined && { termsVersion }) });
  expect(refusedAs(await accept())).toEqual([409, "terms_changed"]);
  expect((await accept(1)).status).toBe(200);
  expect((await accept()).status).toBe(200);
  const pending = async () =>
    (await user.get<{ data: { termsPending: boolean }[] }>("/api/partner/programs")).body.data[0]?.termsPending;
  expect(await pending()).toBe(false);
  expect((await publish(world, "Be kind.")).body.data).toMatchObject({ version: 1 });
  expect((await publish(world, "Be very kind.")).body.data).toMatchObject({ version: 2 });
  expect(await pending()).toBe(true);
  const side = `/api/partner/programs/${world.programId}/${partner}/terms`;
  expect((await user.get(side)).body.data).toMatchObject({ version: 2, text: "Be very kind." });
  expect(refusedAs(await user.post(`${side}/accept`, { version: 1 }))).toEqual([409, "terms_changed"]);
  for (const _ of [1, 2]) expect((await user.post(`${side}/accept`, { version: 2 })).status).toBe(200);
  expect(await pending()).toBe(false);
  await expect(
    world.write({ sql: "update accepted_terms set version = 3 where program_id = ?", args: [world.programId] }),
  ).rejects.toThrow("append-only");
});

test("each of several applicants with the same non-Latin name receives a code", async () => {
  const { world, slug } = await newPage();
  const users = await Promise.all([1, 2, 3, 4, 5, 6].map(() => sharedUser()));
  await Promise.all(users.map((user) => applyTo(user, slug, { name: "王伟" })));
  const ids = (await applications(world)).map(({ id }) => id);
  const { body } = await people.admin.post<{ data: { result: string }[] }>(`${programOf(world)}/applications/approve`, {
    ids,
  });
  expect(body.data.map(({ result }) => result)).toEqual(ids.map(() => "approved"));
  const codes = await world.rows("select code from referral_links where program_id = ?", world.programId);
  expect(new Set(codes.map(({ code }) => code)).size).toBe(7);
});

test("after parallel saves of a join page, members see the slug at which the page is served", async () => {
  const { world, slug } = await newPage();
  const path = `${programOf(world)}/join`;
  const saves = [1, 2, 3, 4].map((i) => people.admin.put(path, pageAt(`${slug}-${i}`)));
  expect((await Promise.all(saves)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { body } = await people.admin.get<{ data: { slug: string } }>(path);
  expect((await nobody().get(`/api/join/${body.data.slug}`)).status).toBe(200);
  const reserved = await world.rows("select slug from join_slugs where program_id = ?", world.programId);
  expect(reserved).toContainEqual({ slug: body.data.slug });
});

test("a refused save of the join page reserves no slug, and a required question needs an answer even if its id is constructor", async () => {
  const { world, slug } = await newPage();
  const path = `${programOf(world)}/join`;
  const questions = [{ id: "constructor", label: "Who?", required: true }];
  expect((await people.admin.put(path, pageAt(slug, { questions }))).status).toBe(200);
  expect(invalidFields(await applyTo(await sharedUser(), slug, { answers: {} }))).toEqual(["answers.constructor"]);
  await people.owner.patch(programOf(world), { status: "archived" });
  expect((await people.admin.put(path, pageAt(`${slug}-hoarded`))).status).toBe(409);
  expect(await world.rows("select slug from join_slugs where program_id = ?", world.programId)).toEqual([{ slug }]);
});

test("a new partner is in the join page's group, or in the group named in the approval", async () => {
  const { world, slug } = await newPage();
  const page = `${programOf(world)}/join`;
  const create = async (name: string) =>
    (await people.admin.post<{ data: { id: number } }>(`${programOf(world)}/groups`, { name })).body.data.id;
  const [gold, silver] = [await create("Gold"), await create("Silver")];
  const terms = { type: "percent", scope: "lifetime" };
  const earns = async (groupId: number, rateBps: number) => {
    const policy = { ...terms, rateBps, groupId };
    expect((await people.admin.put(`${programOf(world)}/commission-policy`, policy)).status).toBe(200);
  };
  const shown = async () => (await nobody().get<{ data: Json }>(`/api/join/${slug}`)).body.data;
  await earns(silver, 4_000);
  expect((await people.admin.put(page, pageAt(slug, { groupId: gold }))).body).toMatchObject({
    data: { groupId: gold },
  });
  expect((await people.viewer.get(page)).body).toMatchObject({ data: { groupId: gold } });
  expect(await shown()).toMatchObject({ commission: "20% of each sale" });
  await earns(gold, 3_000);
  expect(await shown()).toMatchObject({ commission: "30% of each sale" });

  const stranger = await people.world();
  const theirs = await people.admin.post<{ data: { id: number } }>(`${programOf(stranger)}/groups`, { name: "Gold" });
  const foreign = { groupId: theirs.body.data.id };
  expect(refusedAs(await people.admin.put(page, pageAt(slug, foreign)))).toEqual([404, "Group not found"]);

  for (const name of ["Ann", "Bob", "Cid"])
    expect((await applyTo(await sharedUser(), slug, { name })).status).toBe(201);
  const ids = new Map((await applications(world)).map(({ name, id }) => [name, id]));
  const approve = (name: string, body: Json) =>
    people.admin.post(`${programOf(world)}/applications/${ids.get(name)}/approve`, body);
  expect(refusedAs(await approve("Ann", foreign))).toEqual([404, "Group not found"]);
  for (const body of [{}, { groupId: silver }]) expect((await approve("Ann", body)).status).toBe(200);
  expect((await approve("Bob", { groupId: silver })).status).toBe(200);
  expect((await approve("Cid", { groupId: null })).status).toBe(200);
  const found = await world.rows(
    `select p.name, m.group_id, m.effective_from from partners p left join group_memberships m on m.partner_id = p.id
     where p.program_id = ? and p.name <> 'Anna' order by p.name`,
    world.programId,
  );
  expect(found).toEqual([
    { name: "Ann", group_id: gold, effective_from: 0 },
    { name: "Bob", group_id: silver, effective_from: 0 },
    { name: "Cid", group_id: null, effective_from: null },
  ]);
  expect(await world.audit()).toEqual([]);
});
