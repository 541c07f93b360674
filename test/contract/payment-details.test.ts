import { expect, test } from "vitest";
import type { Json, JsonObject, Reply } from "../../harness/client.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { at } from "../support/program-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const iban = "DE89370400440532013000";
const details = { method: "bank", account: "de89 3704 0044 0532 0130 00", holder: "Anna Holder", taxId: "TAX-77-991" };
const summary = { method: "bank", last4: "3000", setAt: expect.stringMatching(/Z$/) };
const code = ({ status, body: { error } }: Reply<unknown>) => [status, error?.details?.code ?? error?.message];

async function open() {
  const shop = await payoutsFixture(people);
  const partnerId = shop.alice.id;
  const anna = await sharedUser();
  const side = await partnerSide(shop.world, anna, partnerId);
  const path = `/api/programs/${shop.world.programId}/partners/${partnerId}`;
  const csv = async (payoutId: number, who: "owner" | "admin") =>
    (await people[who].get(`${shop.path}/${payoutId}?format=csv`)).text
      .replaceAll(/["\uFEFF]/g, "")
      .trim()
      .split("\r\n");
  return {
    ...{ ...shop, partnerId, anna, side, path, csv, payouts: shop.path },
    set: (json: JsonObject = {}, user = anna) =>
      user.put<{ data: Json }>(`${side}/payment`, { ...details, password: user.password, ...json }),
    payment: async (user = anna) => (await user.get<{ data: { payment: Json } }>(`${side}/profile`)).body.data.payment,
    pay: async (body?: JsonObject) => {
      await shop.earn(1_000);
      const { id } = (await shop.create()).body.data;
      return { id, ...(await shop.confirm(id, body)) };
    },
    versions: () => shop.world.rows("select * from payment_details where partner_id = ? order by id", partnerId),
  };
}

test("only the account that set the payment details can read them in full", async () => {
  const { set, payment, path, side, world, partnerId, anna, versions } = await open();
  expect(await payment()).toBeNull();
  const own = { account: iban, holder: "Anna Holder", country: null, taxId: "TAX-77-991", address: null };
  expect((await set()).body).toEqual({ data: summary });
  expect(await payment()).toEqual({ ...summary, details: own });

  const colleague = await sharedUser();
  await partnerSide(world, colleague, partnerId);
  expect(await payment(colleague)).toEqual({ ...summary, details: null });
  const seen = await people.owner.get<{ data: { payment: Json } }>(`${side}/profile?as=owner`);
  expect(seen.body.data.payment).toBeNull();
  for (const who of ["owner", "admin"] as const) {
    expect((await people[who].get(`${path}/payment`)).body).toEqual({ data: summary });
  }
  expect(code(await people.viewer.get(`${path}/payment`))[0]).toBe(403);
  expect(code(await (await sharedUser()).get(`${path}/payment`))[0]).toBe(403);

  for (const table of ["payment_details", "audit_entries", "notes", "partners", "payout_lines"]) {
    const rows = JSON.stringify(await world.rows(`select * from ${table} where program_id = ?`, world.programId));
    for (const secret of [iban, "Anna Holder", "TAX-77-991", "0532013000"]) expect(rows).not.toContain(secret);
  }
  const [version] = await versions();
  expect(version?.set_by).toBe(anna.userId);
  const [entry] = await world.rows(
    "select * from audit_entries where action = 'payment_details.changed' and program_id = ?",
    world.programId,
  );
  expect(entry).toMatchObject({ actor_id: anna.userId, subject: `partner ${partnerId}`, before: null });
  expect(JSON.parse(String(entry?.after))).toEqual({ paymentId: version?.id, method: "bank", replaces: false });
});

test("setting payment details requires the password, a valid account for the method, and the role manage", async () => {
  const { set, path, versions, world, partnerId } = await open();
  expect(invalidFields(await set({ password: undefined as never }))).toEqual(["password"]);
  expect(code(await set({ password: "a wrong passphrase" }))).toEqual([400, "wrong_password"]);
  for (const [method, account] of [
    ["bank", "DE89370400440532013001"],
    ["bank", "0532013000"],
    ["bank", "DE89"],
    // The check digits are right, but the length is wrong for a German account.
    ["bank", "DE5112345678901"],
    ["paypal", "anna"],
    ["wise", "anna@"],
  ] as const) {
    expect(code(await set({ method, account })), account).toEqual([400, "invalid_account"]);
  }
  expect(invalidFields(await set({ method: "cash" }))).toEqual(["method"]);
  for (const [field, value] of Object.entries({
    holder: " ",
    country: "Germany",
    taxId: "a\u0001b",
    account: "a\nb",
  })) {
    expect(invalidFields(await set({ [field]: value }))).toEqual([field]);
  }
  const viewer = await sharedUser();
  await partnerSide(world, viewer, partnerId, "view");
  expect(code(await set({}, viewer))).toEqual([403, "view_only"]);
  expect(code(await set({}, await sharedUser()))[0]).toBe(404);
  expect(code(await people.admin.put(`${path}/payment`, details))[0]).toBe(403);
  expect(await versions()).toEqual([]);
  expect((await people.owner.put(`${path}/payment`, { ...details, method: "other", account: "cash" })).body).toEqual({
    data: { ...summary, method: "other", last4: "sh" },
  });
});

test("setting the same payment details again creates no new version, even in parallel", async () => {
  const { set, versions } = await open();
  const replies = await Promise.all(Array.from({ length: 4 }, () => set()));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await versions()).toHaveLength(1);
  await set({ holder: "Another Holder" });
  await set();
  expect(await versions()).toHaveLength(3);
});

test("a payout line stores the payment details when the payout is finalized, and only an owner's payment list contains them", async () => {
  const { set, earn, create, finalize, confirm, csv, get, payouts: path } = await open();
  await set();
  await earn(1_000);
  const { id } = (await create()).body.data;
  expect((await get(id)).lines).toMatchObject([{ paymentMethod: "bank" }]);
  await finalize(id);
  await set({ method: "paypal", account: "thief@example.com" });
  const [head, line] = await csv(id, "owner");
  expect(head).toBe(
    "reference,partner_id,partner_code,partner,email,amount,currency,method,account,holder,country,tax_id",
  );
  expect(line).toMatch(/,10\.00,EUR,bank,DE89370400440532013000,Anna Holder,,TAX-77-991$/);
  const [adminHead, adminLine] = await csv(id, "admin");
  expect(adminHead).toBe("reference,partner_id,partner_code,partner,email,amount,currency");
  expect(adminLine).not.toContain(iban);
  expect((await confirm(id)).status).toBe(200);
  expect((await get(id)).lines).toMatchObject([{ paymentMethod: "bank" }]);
  const viewed = await people.viewer.get<{ data: { lines: readonly object[] } }>(`${path}/${id}`);
  expect(viewed.body.data.lines[0]).not.toHaveProperty("paymentMethod");
});

test("a partner's first payment details don't delay a payout line if the partner was never paid before, but later changes of the details do", async () => {
  const { set, pay, partnerId, earn, create, finalize } = await open();
  await set();
  expect((await pay()).body.data.status).toBe("paid");
  await set({ method: "paypal", account: "other@example.com" });
  await earn(500);
  const { id } = (await create()).body.data;
  const leftOut = await finalize(id);
  expect(leftOut.body.error?.details).toEqual({
    code: "all_left_out",
    changes: [expect.objectContaining({ partnerId, afterCents: 0, reason: "details_changed" })],
  });
  const included = await finalize(id, { includeChanged: true, changedUntil: at(Date.now()) });
  expect(included.body.data).toMatchObject({ status: "final", totalCents: 500 });
});

test("a payout with includeChanged still excludes a partner who set the first payment details after changedUntil", async () => {
  const { set, setEmail, partnerId, earn, create, get, finalize } = await open();
  await setEmail(partnerId, "anna@example.com");
  await setEmail(partnerId, "anna@new.example");
  await earn(1_000);
  const { id } = (await create()).body.data;
  const changedUntil = (await get(id)).lines[0]?.detailsChangedAt ?? "";
  expect(changedUntil).toMatch(/Z$/);
  await set();
  const finalized = await finalize(id, { includeChanged: true, changedUntil });
  expect([finalized.status, finalized.body.error?.details?.code]).toEqual([409, "all_left_out"]);
});

test("a partner's first payment details delay the next payout line if the partner was paid without payment details before", async () => {
  const { set, pay } = await open();
  expect((await pay()).body.data.status).toBe("paid");
  await set();
  expect((await pay()).body.error?.details).toMatchObject({ changes: [{ reason: "details_changed" }] });
});

test("removing the access of the account that set the payment details clears them, and removing another account's access doesn't", async () => {
  const { set, path, payment, versions, world, partnerId, anna, earn, create, finalize } = await open();
  const colleague = await sharedUser();
  await partnerSide(world, colleague, partnerId);
  await set();
  const end = async (accountId: string) => people.admin.delete(`${path}/access/${accountId}`);
  await end(colleague.userId);
  expect(await payment()).toMatchObject(summary);
  await end(anna.userId);
  expect((await people.owner.get(`${path}/payment`)).body).toEqual({ data: null });
  expect(await versions()).toMatchObject([{ method: "bank" }, { method: null, ciphertext: null, digest: null }]);
  await earn(1_000);
  const { id } = (await create()).body.data;
  expect((await finalize(id)).body.error?.details).toMatchObject({ changes: [{ reason: "details_changed" }] });
});

test("a program that requires payment details excludes partners without them from payouts", async () => {
  const { world, earn, create, set, get, bob } = await open();
  const require = await people.admin.patch(`/api/programs/${world.programId}`, { requireDetails: true });
  expect(require.body).toMatchObject({ data: { requireDetails: true } });
  await earn(1_000);
  await earn(700, { partner: bob });
  expect((await create()).status).toBe(409);
  await set();
  const { id } = (await create()).body.data;
  expect(await get(id)).toMatchObject({ totalCents: 1_000, skipped: [{ partnerId: bob.id, reason: "no_details" }] });
});

test("a payout line that is finalized while the payment details change has the newest details that were set before it", async () => {
  const { set, earn, create, finalize, cancel, world } = await open();
  await earn(1_000);
  for (let round = 0; round < 6; round += 1) {
    const { id } = (await create()).body.data;
    const include = { includeChanged: true, changedUntil: at(Date.now()) };
    await Promise.all([finalize(id, include), set({ holder: `Holder ${round}` })]);
    await finalize(id, { ...include, changedUntil: at(Date.now()) });
    const [line] = await world.rows(
      `select l.payment_id, max(d.id) as newest from payout_lines l join payouts p on p.id = l.payout_id
       join payment_details d on d.partner_id = l.partner_id and d.id < p.finalized_number where l.payout_id = ?`,
      id,
    );
    expect(line?.payment_id).toBe(line?.newest);
    await cancel(id);
  }
});
