import { expect, test } from "vitest";
import { openClaims } from "../support/claims-fixture.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");
const openShop = () => openClaims(people);

test("erasing a customer empties the texts of claims that name the customer or are about the customer's missing sale, and a repeat of such a claim is still recognized", async () => {
  const { open, list, claims, resolve, sell, saleId, world } = await openShop();
  await sell("order-1", { customer_key: "Zoë@shop.example" });
  await open({ reference: "zoe\u0308@SHOP.example", note: "She bought by phone" });
  await open({ reference: "order-1", note: "A friend" });
  await open({ note: "Ask ZOË@shop.example" });
  await open({ note: "Two more" });
  await open({ note: "The last one" });
  const [last, twoMore, , second] = await claims();
  await resolve(twoMore?.id ?? 0, { outcome: "declined", partnerNote: "zoë@shop.example has another partner" });
  await resolve(last?.id ?? 0, { outcome: "declined", partnerNote: "She has another partner" });
  await resolve(second?.id ?? 0, { outcome: "theirs", saleId: await saleId("order-1"), partnerNote: "Found" });
  const [, , third, , first] = await list();
  const repeat = () => open({ note: "Ask ZOË@shop.example" });
  const before = await repeat();
  const erased = await people.owner.post(`/api/programs/${world.programId}/privacy/erase`, {
    customerKey: "Zoë@shop.example",
    confirm: true,
  });
  expect(erased.status).toBe(200);
  expect(await claims()).toMatchObject([
    { note: "The last one", partnerNote: "She has another partner" },
    { note: "Two more", partnerNote: null },
    { reference: null, note: null },
    { reference: null, note: null, partnerNote: null, status: "theirs" },
    { reference: null, note: "She bought by phone" },
  ]);
  expect((await list()).slice(2)).toEqual([third, expect.objectContaining({ status: "theirs" }), first]);
  const after = await repeat();
  expect([before.status, after.status]).toEqual([200, 200]);
  expect(after.body.data).toMatchObject({ ref: third?.ref, note: "Ask ZOË@shop.example" });
});

test("erasing a customer a second time empties the texts of a claim that was accepted for the customer's sale since the first erasure", async () => {
  const { open, claims, resolve, sell, saleId, world } = await openShop();
  await sell("order-1", { customer_key: "zoe@shop.example" });
  await open();
  const erase = () =>
    people.owner.post(`/api/programs/${world.programId}/privacy/erase`, {
      customerKey: "zoe@shop.example",
      confirm: true,
    });
  expect((await erase()).status).toBe(200);
  const [claim] = await claims();
  const theirs = { outcome: "theirs", saleId: await saleId("order-1"), payPast: true, partnerNote: "Zoe's order" };
  expect((await resolve(claim?.id ?? 0, theirs)).status).toBe(200);
  expect((await erase()).status).toBe(200);
  expect(await claims()).toMatchObject([{ status: "theirs", partnerNote: null }]);
});

test("erasing a customer empties the texts of a claim about a sale that a correction gave to this customer, and other claims' references to the sale", async () => {
  const { open, claims, resolve, sell, saleId, world } = await openShop();
  await sell("order-1");
  await open({ reference: "order-1", note: "Her second order" });
  await open({ reference: "ORDER-1" });
  await open({ reference: "order-12" });
  const [, second, first] = await claims();
  const sale = await saleId("order-1");
  await resolve(first?.id ?? 0, { outcome: "theirs", saleId: sale, partnerNote: "Found", payPast: true });
  await resolve(second?.id ?? 0, { outcome: "declined", partnerNote: "Once is enough" });
  await people.admin.post(`/api/programs/${world.programId}/sales/${sale}/correct`, {
    customerKey: "dora",
    reason: "Mistaken",
  });
  const erased = await people.owner.post(`/api/programs/${world.programId}/privacy/erase`, {
    customerKey: "dora",
    confirm: true,
  });
  expect(erased.status, erased.text).toBe(200);
  expect(await claims()).toMatchObject([
    { reference: "order-12" },
    { reference: null, partnerNote: "Once is enough" },
    { reference: null, note: null, partnerNote: null },
  ]);
});
