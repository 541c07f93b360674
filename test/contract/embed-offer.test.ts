import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../harness/client.ts";
import { embedded } from "../support/embedded.ts";
import { at, daysAgo } from "../support/program-fixture.ts";
import { sharedApi } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();

const offer = (label: string, until: string | null = null) => ({
  ...{ label, details: `${label}, in words`, couponIds: { stripe: "FRIEND20" }, until },
});

test("the embedded page shows the offer of the user's group before and after the user creates a link", async () => {
  const world = await people.world({ groups: [{ name: "Gold" }] });
  const path = `/api/programs/${world.programId}`;
  const set = async (below: string, given: Json) => {
    const { status, text } = await people.owner.put(`${path}${below}/offer`, { offer: given });
    expect(status, text).toBe(200);
  };
  const group = `/groups/${world.groups[0]?.id}`;
  const plain = await embedded(api, world, { external_id: "user-1" });
  const gold = await embedded(api, world, { external_id: "user-2", group: "Gold" });
  const shown = async () => {
    const replies = await Promise.all([plain, gold].map((page) => page.get<{ data: JsonObject }>("overview")));
    return replies.map(({ body }) => body.data.offer);
  };
  const words = (label: string) => ({ label, details: `${label}, in words` });
  for (const isPartner of [false, true]) {
    if (isPartner) for (const page of [plain, gold]) expect((await page.createLink()).status).toBe(201);
    await set(group, null);
    await set("", null);
    expect(await shown()).toEqual([null, null]);
    await set("", offer("10% off"));
    expect(await shown()).toEqual([words("10% off"), words("10% off")]);
    await set(group, offer("20% off"));
    expect(await shown()).toEqual([words("10% off"), words("20% off")]);
    await set(group, { none: true });
    await set("", offer("10% off", at(daysAgo(1))));
    expect(await shown()).toEqual([null, null]);
  }
  await set("", offer("10% off"));
  await people.owner.patch(path, { status: "paused" });
  expect(await shown()).toEqual([null, null]);
});
