import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { madePartner } from "../support/made-partner.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, refusedWith, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Code {
  readonly code: string;
  readonly link: string | null;
  readonly status: string;
  readonly madeBy: string;
}
interface Shown {
  readonly code: string;
  readonly links: readonly Code[];
}

async function newWorld(): Promise<World> {
  const world = await people.world();
  const made = [];
  for (const [name, code] of [
    ["Anna", "anna"],
    ["Bob", "bob"],
  ] as const) {
    const id = await madePartner(people.admin, world, { name, code });
    const [link] = await world.rows("select id from referral_links where partner_id = ?", id);
    const landingUrl = `https://shop.example/?aff=${code}`;
    made.push({ id, linkId: Number(link?.id), code, landingUrl });
  }
  const [anna] = made;
  if (anna === undefined) expect.unreachable();
  return { ...world, partners: made, partner: anna };
}

const programOf = ({ programId }: World) => `/api/programs/${programId}`;
const add = (world: World, code: string, partnerId = world.partner.id, user = people.admin) =>
  user.post<{ data: Code }>(`${programOf(world)}/partners/${partnerId}/links`, { code });
const set = (world: World, code: string, status: string, user = people.admin) =>
  user.patch<{ data: Code }>(`${programOf(world)}/links/${code}`, { status });
const show = async (world: World, id = world.partner.id) =>
  (await people.viewer.get<{ data: Shown }>(`${programOf(world)}/partners/${id}`)).body.data;
const click = async (world: World, code: string) =>
  (await sharedApi().click({ affiliate_url: `https://shop.example/?aff=${code}`, program_id: world.programId })).body;

test("a partner can have several codes: clicks with each are attributed to the partner, and lists show the first code", async () => {
  const world = await newWorld();
  const { code: first, id } = world.partner;
  const made = await add(world, "Summer-26");
  expect([made.status, made.body.data]).toEqual([
    201,
    {
      code: "Summer-26",
      link: "https://shop.example/?aff=Summer-26",
      status: "active",
      madeBy: "owner",
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect(await show(world)).toMatchObject({ code: first, links: [{ code: first }, { code: "Summer-26" }] });
  expect((await click(world, "summer-26")).partner_code).toBe("Summer-26");

  const shop = programFixture(world, sharedApi());
  const { click_id } = await click(world, "SUMMER-26");
  expect(await shop.lead({ customer_key: "c", click_id })).toMatchObject({ partner_code: "Summer-26" });
  expect(await shop.sale({ customer_key: "c" })).toMatchObject({ attributed: true, partner_code: "Summer-26" });
  await shop.lead({ customer_key: "d", click_id: (await click(world, first)).click_id });
  await shop.sale({ customer_key: "d" });
  const balances = await people.viewer.get<{ data: JsonObject[] }>(`${programOf(world)}/balances`);
  expect(balances.body.data).toMatchObject([{ partnerId: id, partnerCode: first, pendingCents: 4_000 }]);
  const lists = await Promise.all(
    ["partners", "partners?search=summer"].map((path) =>
      people.viewer.get<{ data: JsonObject[] }>(`${programOf(world)}/${path}`),
    ),
  );
  expect(lists[0]?.body.data.filter((each) => each.id === id)).toMatchObject([{ code: first }]);
  expect(lists[1]?.body.data).toMatchObject([{ id, code: first }]);
  const report = await people.viewer.get<{ data: JsonObject[] }>(
    `/api/tracking/performance/${world.programId}/partners`,
  );
  expect(report.body.data).toContainEqual(expect.objectContaining({ id, code: first, clicks: 3, leads: 2, sales: 2 }));
});

test("a partner's code is unique in its program", async () => {
  const world = await newWorld();
  const [, bob] = world.partners;
  await add(world, "taken");
  for (const id of [world.partner.id, bob?.id]) {
    expect(refusedWith(await add(world, "TAKEN", id))).toEqual([409, { code: "code_taken" }]);
  }
  const other = await newWorld();
  expect((await add(other, "taken")).status).toBe(201);
});

test("a code that is sent for two partners in parallel is created for one of them", async () => {
  const world = await newWorld();
  const ids = world.partners.map(({ id }) => id);
  const all = await Promise.all([...ids, ...ids, ...ids].map((id) => add(world, "racing", id)));
  expect(all.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
  const rows = await world.rows(
    "select code from referral_links where program_id = ? and code_key = 'racing'",
    world.programId,
  );
  expect(rows).toHaveLength(1);
});

test("a partner has at most 20 codes", async () => {
  const world = await newWorld();
  for (let i = 1; i < 20; i += 1) expect((await add(world, `code-${i}`)).status).toBe(201);
  expect(refusedWith(await add(world, "code-20"))).toEqual([409, { code: "links_full", limit: 20 }]);
  expect((await show(world)).links).toHaveLength(20);
});

test("a partner's paused code records no clicks, and other codes and earlier attributions aren't affected", async () => {
  const world = await newWorld();
  await add(world, "paused-later");
  const shop = programFixture(world, sharedApi());
  await shop.lead({ customer_key: "c", click_id: (await click(world, "paused-later")).click_id });
  const paused = await set(world, "PAUSED-later", "paused");
  expect([paused.status, paused.body.data]).toMatchObject([200, { code: "paused-later", status: "paused" }]);
  expect(await click(world, "paused-later")).toEqual({ success: false, message: "Referral link is inactive" });
  expect(await click(world, world.partner.code)).toMatchObject({ success: true });
  expect(await shop.sale({ customer_key: "c" })).toMatchObject({ attributed: true });
  expect((await set(world, "paused-later", "paused")).status).toBe(200);
  expect((await set(world, "paused-later", "active")).body.data.status).toBe("active");
  expect(await click(world, "paused-later")).toMatchObject({ success: true });
  const entries = await world.rows(
    "select action from audit_entries where program_id = ? order by id",
    world.programId,
  );
  expect(entries.map(({ action }) => action)).toEqual([
    ...["partner.created", "partner.created"],
    ...["link.created", "link.updated", "link.updated"],
  ]);
});

test("a partner's new landing page applies to all of their codes, including later ones", async () => {
  const world = await newWorld();
  await add(world, "one-more");
  const destinationUrl = "https://shop.example/summer";
  await people.admin.patch(`${programOf(world)}/partners/${world.partner.id}`, { destinationUrl });
  await add(world, "and-another");
  expect((await show(world)).links.map(({ link }) => link)).toEqual(
    [world.partner.code, "one-more", "and-another"].map((code) => `${destinationUrl}?aff=${code}`),
  );
});

test.each(["x", "no spaces", "~verification-1", "a".repeat(65)])("a partner can't have the code %j", async (code) => {
  const refused = await add(await newWorld(), code);
  expect([refused.status, invalidFields(refused)]).toEqual([400, ["code"]]);
});

test("only admins can change a partner's codes, and only in their program", async () => {
  const world = await newWorld();
  expect((await add(world, "mine", world.partner.id, people.viewer)).status).toBe(403);
  expect((await set(world, world.partner.code, "paused", people.viewer)).status).toBe(403);
  expect(refusedWith(await add(world, "mine", 1))).toEqual([404, {}]);
  expect(refusedWith(await set(world, "unknown", "paused"))).toEqual([404, {}]);
  const other = await newWorld();
  expect(refusedWith(await add(other, "mine", world.partner.id))).toEqual([404, {}]);
  await add(world, "only-here");
  expect(refusedWith(await set(other, "only-here", "paused"))).toEqual([404, {}]);
  expect((await set(world, world.partner.code, "gone")).status).toBe(400);
});

test("the code of the partner that a verification run creates can't be paused", async () => {
  const world = await newWorld();
  expect((await sharedApi().verification({ key: world.key })).status).toBe(200);
  expect((await set(world, `~verification-${world.programId}`, "paused")).status).toBe(404);
});

test("a partner's code can't be created in an archived program", async () => {
  const world = await newWorld();
  await people.owner.patch(programOf(world), { status: "archived" });
  expect((await add(world, "late")).status).toBe(409);
});
