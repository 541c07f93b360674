import { expect, test } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { embedded } from "../support/embedded.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const months = { code: "MONTHS", digits: 0, one: "free month", other: "free months" };

test("the embedded referral page can read the program's units, and shows balances in them", async () => {
  const world = await people.world();
  const root = `/api/programs/${world.programId}`;
  expect((await people.admin.post(`${root}/units`, months)).status).toBe(201);
  const user = await embedded(sharedApi(), world);
  expect((await user.get("units")).body).toEqual({ data: [months] });
  expect((await user.createLink()).status).toBe(201);
  const [partner] = await world.rows(
    "select id from partners where program_id = ? and external_id is not null",
    world.programId,
  );
  const bonus = { amountCents: 2, currency: "MONTHS", reason: "thanks", reference: "first" };
  expect((await people.owner.post(`${root}/partners/${partner?.id}/adjustments`, bonus)).status).toBe(201);
  const { body } = await user.get<{ data: JsonObject }>("overview");
  expect(body.data.balances).toMatchObject([{ currency: "MONTHS", payableCents: 2 }]);
});
