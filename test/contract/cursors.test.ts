import { describe, expect, test } from "vitest";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

const textOf = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString("base64url");

/** A cursor's content at the end of a page, for each list. */
const ends = {
  partners: ["partners", 7],
  "commission-policy": ["commission policies", 7],
  commissions: ["commissions", "created", "desc", "", 0, 7],
  "commissions?sort=amount&order=asc": ["commissions", "amount", "asc", "EUR", 100, 7],
  payouts: ["payouts", 7],
  balances: ["balances", "currency", false, "EUR", 7, "100"],
  "balances?sort=payable": ["balances", "payable", false, "EUR", 7, "-100"],
  "balances?sort=payable&nonzero=true": ["balances", "payable", true, "EUR", 7, "-100"],
  audit: ["audit", 7],
  events: ["events", "sale", 7, 1_000],
  activity: ["activity", 7],
  "workspace audit": ["workspace audit", 7],
  explain: ["explain", "sale", 7, 1_000],
} as const satisfies Readonly<Record<string, readonly unknown[]>>;
type List = keyof typeof ends;
const lists = Object.keys(ends) as List[];

describe.each(lists)("the list %s", (list) => {
  test("a list accepts the cursors that it returned, and refuses cursors of other lists and sort orders", async () => {
    const world = await people.world();
    const paths: Partial<Record<List, string>> = {
      events: `/api/tracking/events/${world.programId}`,
      activity: "/api/auth/activity",
      "workspace audit": `/api/workspaces/${world.workspaceId}/audit`,
      explain: `/api/tracking/explain/${world.programId}?customerKey=nobody`,
    };
    const path = paths[list] ?? `/api/programs/${world.programId}/${list}`;
    for (const other of lists) {
      const cursor = `${path.includes("?") ? "&" : "?"}cursor=${textOf(ends[other])}`;
      const reply = await people.owner.get(path + cursor);
      if (other !== list) expect([other, reply.status, invalidFields(reply)]).toEqual([other, 400, ["cursor"]]);
      else expect(reply.status).toBe(list === "explain" ? 404 : 200);
    }
  });
});
