import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createSession } from "../../harness/session.ts";
import { programFixture } from "../support/program-fixture.ts";
import { salesFixture } from "../support/sales-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

test("an international domain is stored in its DNS form", { tags: ["finding"] }, async () => {
  const [local, password] = [randomUUID(), randomUUID()];
  const [written, stored] = [`${local}@Bücher.example`, `${local}@xn--bcher-kva.example`];
  const made = await createSession(sharedService.url).post<{ user: { email: string } }>("/api/auth/sign-up/email", {
    ...{ name: "Zoë", email: written, password },
  });
  expect([made.status, made.body.user.email]).toEqual([200, stored]);
  for (const email of [written, stored]) {
    const signedIn = await createSession(sharedService.url).post("/api/auth/sign-in/email", { email, password });
    expect([email, signedIn.status]).toEqual([email, 200]);
  }
});

test.each([
  "zoë@example.com",
  "zoe@bücher",
  "zoe@bücher.example/x",
  "zoe@ex ample.com",
  `z@${"ü".repeat(250)}.example`,
])("the API rejects %s as an email address", async (email) => {
  const reply = await createSession(sharedService.url).post("/api/auth/sign-up/email", {
    ...{ name: "Zoë", email, password: randomUUID() },
  });
  expect(reply.status).toBe(400);
});

test("an email address can have an international top-level domain, but not an international mailbox name", async () => {
  const statusOf = async (email: string) =>
    (
      await createSession(sharedService.url).post("/api/auth/sign-up/email", {
        ...{ name: "Zoë", email, password: randomUUID() },
      })
    ).status;
  expect(await statusOf(`${randomUUID()}@пример.рф`)).toBe(200);
  expect(await statusOf("почта@пример.рф")).toBe(400);
});

test("a customer is found by an email address with an international domain, in any spelling", async () => {
  const shop = salesFixture(programFixture(await people.world({ partners: [{}, {}] }), sharedApi()));
  const path = `/api/programs/${shop.world.programId}/privacy/export`;
  await shop.lead({ customer_key: "c1", email: "zoe@Bücher.example" });
  await shop.lead({ customer_key: "Zoe@Tee.Köln", email: "other@example.com" });
  for (const email of ["zoe@bücher.example", "zoe@xn--bcher-kva.example", "Zoe@Tee.Köln"]) {
    expect([email, (await people.owner.post(path, { email })).status]).toEqual([email, 200]);
  }
});
