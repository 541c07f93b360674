import { describe, expect, test } from "vitest";
import type { Json, Reply } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import { addUsers } from "../../harness/users.ts";
import { giveAccess } from "../support/partner-side.ts";
import { partnerWithTraces } from "../support/partner-traces.ts";
import { rowsNaming } from "../support/rows-naming.ts";
import { sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

interface Erased {
  readonly data: {
    readonly receiptId: string;
    readonly erasedAt: string;
    readonly rows: Readonly<Record<string, number>>;
  };
}

async function open() {
  const world = await people.world({ partners: [{}, {}] });
  const mark = `zebra${world.programId}`;
  const made = await partnerWithTraces(world, people.admin, people.stranger, mark);
  const { path, partnerId } = made;
  const ofPartner = `${path}/partners/${partnerId}`;
  const change = await people.admin.patch(ofPartner, { name: `${mark} Ltd`, externalId: `${mark}-id` });
  expect(change.status, change.text).toBe(200);
  const adjust = (amountCents: number) =>
    people.owner.post(`${ofPartner}/adjustments`, {
      ...{ amountCents, currency: "EUR", reason: `${mark} asked`, partnerNote: `Dear ${mark}` },
      reference: `a${amountCents}`,
    });
  expect((await people.admin.post(`${ofPartner}/invitations`, {})).status).toBe(201);
  const erase = (body: object = {}, user: User = people.owner) =>
    user.post<Erased>(`${ofPartner}/erase`, { confirm: true, ...body } as Json);
  return { ...made, world, mark, ofPartner, adjust, erase };
}

const code = ({ status, body }: Reply<Erased>) => [
  status,
  (body as { error?: { details?: { code?: string } } }).error?.details?.code,
];

describe("erasing a partner", () => {
  test("erasing a partner leaves only a pseudonymous partner in the program", async () => {
    const { world, mark, erase, path, ofPartner, partnerId, side, adjust } = await open();
    expect((await adjust(500)).status).toBe(201);
    expect((await adjust(-500)).status).toBe(201);
    expect((await rowsNaming(world, mark)).length).toBeGreaterThan(8);
    const { status, body, text } = await erase();
    expect(status, text).toBe(200);
    const counts = { partners: 1, partnerAccounts: 1, partnerInvitations: 1, paymentDetails: 1, applications: 1 };
    expect(body.data.rows).toMatchObject(counts);
    // The feed's events contain the external id until they are deleted after 30 days.
    const left = await rowsNaming(world, mark, people.stranger.email);
    expect(left.filter((row) => !/^(events|users):/.test(row))).toEqual([]);
    const partner = await people.owner.get<{ data: Json }>(ofPartner);
    expect(partner.body.data).toMatchObject({
      ...{
        id: partnerId,
        name: expect.stringMatching(/^Partner [123]$/),
        email: null,
        externalId: null,
        status: "paused",
        erased: true,
      },
      ...{ code: `code${world.programId}`, payment: null },
    });
    expect((await people.stranger.get(`${side}/overview`)).status).toBe(404);
    const receipt = await people.owner.get<{ data: Record<string, Json> }>(
      `${path}/privacy/receipts/${body.data.receiptId}`,
    );
    expect(receipt.body.data).toMatchObject({ subject: "partner", rows: counts, writeOffs: [] });
    expect(receipt.body.data.after).toEqual(receipt.body.data.before);
    const again = await erase();
    expect(again).toMatchObject({ status: 404, body: { error: { details: { receiptId: body.data.receiptId } } } });
    expect(await world.audit()).toEqual([]);
  });

  test("erasing a partner is permanent: the partner's data can't be set again", async () => {
    const { erase, ofPartner, partnerId, path, world, mark, adjust } = await open();
    expect((await erase()).status).toBe(200);
    const details = { method: "paypal", account: "new@pay.example", holder: "New" };
    const refused = [
      await people.admin.patch(ofPartner, { status: "active" }),
      await people.admin.patch(ofPartner, { name: "Anna" }),
      await people.owner.put(`${ofPartner}/payment`, details),
      await people.admin.post(`${ofPartner}/invitations`, {}),
      await people.admin.post(`${ofPartner}/links`, { code: `new${world.programId}` }),
      await people.admin.post(`${path}/coupons`, { partnerId, codes: [`NEW${world.programId}`] }),
      await adjust(500),
      await adjust(-500),
    ];
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 409, body: { error: { details: { code: "partner_erased" } } } });
    }
    const row = { line: 1, name: mark, code: `code${world.programId}`, email: `${mark}@mail.example` };
    const imported = await people.owner.post(`${path}/imports/rows`, {
      ...{ kind: "partners", source: "Former program", update: true },
      rows: [row],
    });
    expect(imported.text).toContain("code_taken");
    const balance = {
      line: 1,
      partner_code: `code${world.programId}`,
      amount: "5.00",
      currency: "EUR",
      reference: "b",
    };
    const balances = { kind: "balances", source: "Former program", rows: [balance] };
    expect((await people.owner.post(`${path}/imports/rows`, balances)).text).toContain("partner_erased");
    expect(await world.audit()).toEqual([]);
  });

  test.each(["pending", "declined"])(
    "erasing a partner deletes the %s application of an account that has access by an invitation",
    async (state) => {
      const world = await people.world({ partners: [{}] });
      const mark = `zebra${world.programId}`;
      const path = `/api/programs/${world.programId}`;
      const slug = `shop-${world.programId}`;
      const page = { mode: "approval", slug, headline: "Earn", description: "With us", questions: [] };
      expect((await people.admin.put(`${path}/join`, page)).status).toBe(200);
      const [user] = await addUsers(sharedService, ["Applicant"]);
      if (user === undefined) throw new Error("no user was added");
      const form = { name: `${mark} Blogs`, website: `https://${mark}.example`, answers: {}, termsVersion: null };
      const applied = await user.post(`/api/join/${slug}`, form);
      expect(applied.status, applied.text).toBeLessThan(300);
      if (state === "declined") {
        const { body } = await people.admin.get<{ data: { id: number }[] }>(`${path}/applications`);
        const note = { partnerNote: `Not ${mark}` };
        expect((await people.admin.post(`${path}/applications/${body.data[0]?.id}/decline`, note)).status).toBe(200);
      }
      await giveAccess(world, { user, partnerId: world.partner.id });
      const erased = await people.owner.post(`${path}/partners/${world.partner.id}/erase`, { confirm: true });
      expect(erased.body).toMatchObject({ data: { rows: { applications: 1 } } });
      expect(await rowsNaming(world, mark)).toEqual([]);
      expect(await world.rows("select status from applications where program_id = ?", world.programId)).toEqual([
        { status: "declined" },
      ]);
      expect(await world.audit()).toEqual([]);
    },
  );

  test("erasing a partner is refused while the partner has a balance, with instructions", async () => {
    const { erase, adjust, path, world } = await open();
    expect((await adjust(-490)).status).toBe(201);
    const { body } = await erase();
    const balance = { currency: "EUR", pendingCents: 0, payableCents: 0, inPayoutCents: 0, carriedCents: -490 };
    expect(body).toMatchObject({
      error: { details: { code: "money_open", balances: [{ ...balance, waysOut: ["write_off"] }] } },
    });
    const erased = await erase({ writeOff: true });
    expect(erased.status, erased.text).toBe(200);
    const { receiptId } = erased.body.data;
    const receipt = await people.owner.get(`${path}/privacy/receipts/${receiptId}`);
    expect(receipt.body).toMatchObject({ data: { writeOffs: [{ currency: "EUR", amountCents: 490 }] } });
    expect(await world.audit()).toEqual([]);
  });

  test("erasing a partner with a positive balance is refused, even if the call asks to write off the balance", async () => {
    const { erase, adjust } = await open();
    expect((await adjust(490)).status).toBe(201);
    expect(code(await erase({ writeOff: true }))).toEqual([409, "money_open"]);
  });

  test("erasing a partner requires an owner and a confirmation, and shares the limit of the program's other privacy calls", async () => {
    const { erase, world, ofPartner } = await open();
    expect((await erase({}, people.admin)).status).toBe(403);
    expect((await erase({ confirm: false })).status).toBe(400);
    expect((await people.owner.post(`${ofPartner}0/erase`, { confirm: true })).status).toBe(404);
    await world.write(
      `insert into audit_entries (id, program_id, operation_id, actor_id, action, subject, created_at)
       select -${world.programId}0 - value, ${world.programId}, 'many ' || value || ' ${world.programId}', 'u', 'person.exported', 'privacy', unixepoch() * 1000
       from json_each('[1,2,3,4,5,6,7,8,9,10]')`,
    );
    expect((await erase()).status).toBe(429);
  });
});
