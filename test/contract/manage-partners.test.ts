import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { programFixture } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { invalidFields, refusalOf, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

interface Partner {
  readonly id: number;
  readonly code: string;
  readonly link: string | null;
  readonly name: string;
  readonly status: string;
}
interface Page {
  readonly data: Partner[];
  readonly meta: { readonly nextCursor: string | null };
}

const path = ({ programId }: World) => `/api/programs/${programId}/partners`;
const make = (world: World, body: Json) => people.admin.post<{ data: Partner }>(path(world), body);
const list = async (world: World, query = "", user = people.admin) => (await user.get<Page>(path(world) + query)).body;
const patch = (world: World, id: number | string, body: Json) =>
  people.admin.patch<{ data: Partner }>(`${path(world)}/${id}`, body);
const newCode = () => uniqueWord("New-");

describe("a partner", () => {
  test("a partner is created with a link to the program's website, which records clicks immediately", async () => {
    const world = await people.world();
    const code = newCode();
    const click = () => api.click({ affiliate_url: `https://shop.example/?aff=${code}`, program_id: world.programId });
    expect((await click()).body.error.message).toBe("Referral link not found");

    const made = await make(world, { name: "Anna", email: "anna@people.example", code });
    expect([made.status, made.body]).toEqual([
      201,
      {
        data: {
          id: expect.any(Number),
          code,
          link: `https://shop.example/?aff=${code}`,
          name: "Anna",
          email: "anna@people.example",
          destinationUrl: null,
          status: "active",
          riskExempt: false,
          groupId: null,
          externalId: null,
          createdAt: expect.stringMatching(/Z$/),
        },
      },
    ]);
    expect((await click()).body.partner_code).toBe(code);
    expect((await list(world)).data).toContainEqual({ ...made.body.data, hasOwnPolicy: false });
  });

  test.each([
    ["https://shop.example/new?utm_source=a#top", "https://shop.example/new?utm_source=a&aff=CODE#top"],
    ["https://shop.example/?aff=somebody", "https://shop.example/?aff=CODE"],
  ])("a partner's link leads to the partner's landing page: %s", async (destinationUrl, link) => {
    const world = await people.world();
    const code = newCode();
    const { body } = await make(world, { name: "Anna", code, destinationUrl });
    expect(body.data).toMatchObject({ destinationUrl, link: link.replace("CODE", code) });
  });

  test("a partner without a landing page has no link if the program has no website either", async () => {
    const world = await people.world({ program: { websiteUrl: null } });
    expect((await make(world, { name: "Anna", code: newCode(), destinationUrl: "" })).body.data.link).toBeNull();
  });

  test("a partner has a code that is unique in its program, ignoring case, and can be used in other programs", async () => {
    const [world, other] = [await people.world(), await people.world()];
    const code = newCode();
    expect((await make(world, { name: "Anna", code })).status).toBe(201);
    const again = await make(world, { name: "Eve", code: code.toUpperCase() });
    expect(refusalOf(again)).toBe("409 Another partner in this program already has this code");
    expect((await make(world, { name: "Eve", code: world.partner.code })).status).toBe(409);
    expect((await make(other, { name: "Anna", code })).status).toBe(201);
    expect((await list(world)).data).toHaveLength(2);
  });

  test("a partner is created once by parallel calls with the same code", async () => {
    const world = await people.world();
    const code = newCode();
    const spelled = (i: number) => (i % 2 === 0 ? code : code.toLowerCase());
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => make(world, { name: `Anna ${i}`, code: spelled(i) })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect((await list(world)).data).toHaveLength(2);
  });

  test.each<[Json, string[]]>([
    [{}, ["name", "code"]],
    [{ name: "Anna", code: "a" }, ["code"]],
    [{ name: "Anna", code: "x".repeat(65) }, ["code"]],
    [{ name: "Anna", code: "an na" }, ["code"]],
    [{ name: "Anna", code: "änna" }, ["code"]],
    [{ name: "Anna", code: "~verification-1" }, ["code"]],
    [{ name: "Anna", code: "anna\n" }, ["code"]],
    [{ name: "", code: 12, email: "anna", destinationUrl: "//x" }, ["name", "email", "code", "destinationUrl"]],
    [{ name: "Anna", code: "anna", destinationUrl: "javascript:alert(1)" }, ["destinationUrl"]],
  ])("a partner isn't created with %j", async (body, fields) => {
    const world = await people.world();
    const reply = await make(world, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
    expect((await list(world)).data).toHaveLength(1);
  });

  test.each(["ab", "x".repeat(64), "A-_9"])("a partner can have the code %s", async (code) => {
    expect((await make(await people.world(), { name: "Anna", code })).status).toBe(201);
  });
});

describe("a paused partner", () => {
  test("a paused partner receives no clicks or commissions from the next call on, until resumed", async () => {
    const world = await people.world({ partners: [{}, {}] });
    const { alice, bob, click, lead, sale } = programFixture(world, api);
    await lead({ customer_key: "c1", click_id: click(alice) });
    expect((await sale({ customer_key: "c1" })).commission.status).toBe("pending");

    const paused = await patch(world, alice.id, { status: "paused" });
    expect([paused.status, paused.body.data.status]).toEqual([200, "paused"]);
    const visit = (affiliate_url: string) => api.click({ affiliate_url, program_id: world.programId });
    expect((await visit(alice.landingUrl)).body.success).toBe(false);
    expect((await visit(bob.landingUrl)).body.success).toBe(true);
    expect((await sale({ customer_key: "c1" })).commission).toMatchObject({
      status: "void",
      reason: "partner_inactive",
    });

    await patch(world, alice.id, { status: "active", name: "Alice" });
    expect((await visit(alice.landingUrl)).body.success).toBe(true);
    expect((await sale({ customer_key: "c1" })).commission.status).toBe("pending");
    expect((await list(world)).data).toContainEqual(
      expect.objectContaining({ id: alice.id, name: "Alice", status: "active" }),
    );
  });

  test.each<[Json, string[]]>([
    [{ status: "gone" }, ["status"]],
    [{ status: true, name: "" }, ["status", "name"]],
  ])("a partner can't be updated with %j", async (body, fields) => {
    const world = await people.world();
    const reply = await patch(world, world.partner.id, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test.each(["0", "abc", "1.5", "99999999999999999999", "4503599627370496"])(
    "changing a partner with the unknown id %s returns 404",
    async (id) => {
      const world = await people.world();
      expect(refusalOf(await patch(world, id, { status: "paused" }))).toBe("404 Partner not found");
    },
  );

  test("a paused partner keeps their code, which can't be changed", async () => {
    const world = await people.world();
    await patch(world, world.partner.id, { code: "other" } as JsonObject);
    expect((await list(world)).data[0]).toMatchObject({ code: world.partner.code });
  });
});

test("a viewer can't see a partner's email address, or find a partner by it", async () => {
  const world = await people.world();
  const { id } = world.partner;
  await patch(world, id, { email: "secret-address@people.example" });
  const performance = `/api/tracking/performance/${world.programId}/partners`;
  for (const read of [path(world), `${path(world)}/${id}`, performance]) {
    expect((await people.admin.get(read)).text, read).toContain("secret-address");
    const seen = await people.viewer.get(read);
    expect([seen.status, seen.text.includes(world.partner.code), seen.text.includes("email")]).toEqual([
      200,
      true,
      false,
    ]);
  }
  for (const found of [path(world), performance]) {
    const search = `${found}?search=secret-address`;
    expect((await people.admin.get<Page>(search)).body.data).toHaveLength(1);
    expect((await people.viewer.get<Page>(search)).body.data, found).toEqual([]);
  }
});

describe("a partner's details", () => {
  const one = async (world: World) => {
    const reply = await people.admin.get<{ data: Partner }>(`${path(world)}/${world.partner.id}`);
    expect(reply.status).toBe(200);
    return reply.body.data;
  };

  test("a partner's details can be changed one by one and cleared, and the audit trail masks the email address", async () => {
    const world = await people.world();
    const { id, code } = world.partner;
    const changed = await patch(world, id, { email: "anna@people.example", destinationUrl: "https://shop.example/a" });
    const details = { email: "anna@people.example", destinationUrl: "https://shop.example/a" };
    expect(changed.body.data).toMatchObject({ ...details, link: `https://shop.example/a?aff=${code}` });
    expect(await one(world)).toMatchObject({ ...changed.body.data, links: [{ code }], balances: [] });
    await patch(world, id, { name: "Anna" });
    expect(await one(world)).toMatchObject({ ...details, name: "Anna", status: "active" });
    await patch(world, id, { email: "", destinationUrl: null });
    expect(await one(world)).toMatchObject({ email: null, destinationUrl: null, name: "Anna" });
    const { body } = await people.admin.get<{ data: { before: unknown; after: unknown }[] }>(
      `/api/programs/${world.programId}/audit`,
    );
    expect(body.data.map(({ before, after }) => [before, after])).toEqual([
      [
        { email: "a•••@p•••.example", destinationUrl: "https://shop.example/a" },
        { email: null, destinationUrl: null },
      ],
      [{ name: expect.any(String) }, { name: "Anna" }],
      [
        { email: null, destinationUrl: null },
        { email: "a•••@p•••.example", destinationUrl: "https://shop.example/a" },
      ],
    ]);
  });

  test("a partner's new landing page applies from the next click", async () => {
    const world = await people.world({ program: { websiteUrl: null } });
    await patch(world, world.partner.id, { destinationUrl: "https://other.example/" });
    const click = await api.click({ affiliate_url: `https://other.example/?aff=${world.partner.code}` });
    expect(click.body.success).toBe(true);
  });

  test.each<[Json, string[]]>([
    [{ email: "anna" }, ["email"]],
    [{ email: 5, destinationUrl: "javascript:alert(1)" }, ["email", "destinationUrl"]],
  ])("a partner's details can't be set to %j", async (body, fields) => {
    const world = await people.world();
    const reply = await patch(world, world.partner.id, body);
    expect([reply.status, invalidFields(reply)]).toEqual([400, fields]);
  });

  test.each(["0", "abc", "4503599627370496"])(
    "reading the unknown partner %s, or a partner of another program, returns 404",
    async (id) => {
      const [world, other] = [await people.world(), await people.world()];
      for (const partnerId of [id, other.partner.id]) {
        const reply = await people.viewer.get(`${path(world)}/${partnerId}`);
        expect(refusalOf(reply)).toBe("404 Partner not found");
      }
    },
  );
});

describe("the list of partners", () => {
  test("the list of partners can be searched by name, code and email address, in pages", async () => {
    const partners = ["Anna", "Hannah", "Bob"].map((name) => ({ name }));
    const world = await people.world({ partners });
    const [, , bob] = world.partners;
    await patch(world, bob?.id ?? 0, { email: "Joanna@people.example" });
    const names = async (query: string) => (await list(world, query)).data.map(({ name }) => name);
    expect((await names("?search=ANNA")).toSorted()).toEqual(["Anna", "Bob", "Hannah"]);
    expect(await names(`?search=${bob?.code.toUpperCase()}`)).toEqual(["Bob"]);
    expect(await names("?search=%25")).toEqual([]);
    const first = await list(world, "?search=anna&limit=2");
    expect(first.data).toHaveLength(2);
    const rest = await names(`?search=anna&cursor=${first.meta.nextCursor}`);
    expect([...first.data.map(({ name }) => name), ...rest].toSorted()).toEqual(["Anna", "Bob", "Hannah"]);
    const reply = await people.viewer.get(`${path(world)}?search=&limit=201`);
    expect([reply.status, invalidFields(reply)]).toEqual([400, ["search", "limit"]]);
  });

  test("the list of partners is paginated, newest first, with each partner once", { tags: "soak" }, async () => {
    const partners = Array.from({ length: 450 }, (_, i) => ({ name: `Partner ${i}` }));
    const world = await people.world({ partners });
    const seen: number[] = [];
    const sizes: number[] = [];
    for (let query = ""; ; ) {
      const { data, meta } = await list(world, query);
      seen.push(...data.map(({ id }) => id));
      sizes.push(data.length);
      if (meta.nextCursor === null) break;
      query = `?cursor=${meta.nextCursor}`;
    }
    expect(sizes).toEqual([200, 200, 50]);
    expect(seen).toEqual(world.partners.map(({ id }) => id).toSorted((a, b) => b - a));
  });

  test("the list of partners never includes the partner that a verification run creates", async () => {
    const world = await people.world();
    await world.write(
      {
        sql: "insert into partners (id, program_id, name, status, is_synthetic, created_at) values (?, ?, 'V', 'active', 1, 1)",
        args: [world.partner.id + 1, world.programId],
      },
      {
        sql: "insert into referral_links (id, program_id, partner_id, code, code_key, status, created_at) values (?, ?, ?, '~v', '~v', 'active', 1)",
        args: [world.partner.id + 1, world.programId, world.partner.id + 1],
      },
    );
    expect((await list(world)).data.map(({ id }) => id)).toEqual([world.partner.id]);
    const reply = await patch(world, world.partner.id + 1, { status: "paused" });
    expect(refusalOf(reply)).toBe("404 Partner not found");
  });

  test.each(["x", "12", "%00", ""])("the list of partners refuses an invalid cursor: %s", async (cursor) => {
    const world = await people.world();
    for (const route of ["partners", "commissions", "audit"]) {
      const reply = await people.owner.get(`/api/programs/${world.programId}/${route}?cursor=${cursor}`);
      expect([reply.status, invalidFields(reply)]).toEqual([400, ["cursor"]]);
    }
  });
});
