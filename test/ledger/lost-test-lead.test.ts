import { expect, it } from "vitest";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { clickOf, daysAgo } from "../support/program-fixture.ts";

const own = isolatedDatabase();

it("a server's test lead that has only a click of a link lost in a restore can be sent again", async () => {
  const world = await createWorld(own.server.url);
  const calls = callsOf(world, own.server.url);
  const at = daysAgo(2);
  const clickId = clickOf(world.programId, { linkId: 4711 }, at, true);
  const shown = { clickId, programId: world.programId, isTest: true, linkId: 4711, at };
  const send = () =>
    calls.ledger.submit(calls.leadTask("key", [shown], undefined, { customerKey: null, isTest: true })).outcome;
  expect(await send()).toMatchObject({ ok: true });
  const again = await send();
  expect(again).toMatchObject({ ok: true });
});
