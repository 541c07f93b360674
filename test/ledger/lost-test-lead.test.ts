import { expect, it } from "vitest";
import { callsOf } from "../support/ledger-calls.ts";
import { ownDatabase } from "../support/own-database.ts";
import { clickOf, daysAgo } from "../support/shop.ts";
import { createWorld } from "../support/world.ts";

const own = ownDatabase();

it("a test lead of a backend that shows a lost link's click alone may be sent again", async () => {
  const world = await createWorld(own.server.url);
  const calls = callsOf(world, own.server.url);
  const at = daysAgo(2);
  const clickId = clickOf(world.programId, { linkId: 4711 }, at, true);
  const shown = { clickId, programId: world.programId, isTest: true, linkId: 4711, at };
  const send = () =>
    calls.ledger.submit(calls.leadTask("key", [shown], undefined, { customerKey: undefined, isTest: true })).outcome;
  expect(await send()).toMatchObject({ ok: true });
  const again = await send();
  expect(again).toMatchObject({ ok: true });
});
