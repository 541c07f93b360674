import type { Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { day, daysAgo } from "./program-fixture.ts";
import type { FixtureUsers } from "./users-fixture.ts";

export interface SimulatedRow {
  readonly month: string;
  readonly partnerId: number;
  readonly currency: string;
  readonly sales: number;
  readonly wasCents: number;
  readonly todayCents: number;
  readonly wouldBeCents: number;
}

interface Line {
  readonly progress?: { readonly sales: number };
  readonly result?: {
    readonly rows: readonly SimulatedRow[];
    readonly totals: readonly Omit<SimulatedRow, "month" | "partnerId">[];
    readonly recalculatedSales: number;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

export const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** A period that includes all sales of a test in any time zone. */
const allDays = { from: dayOf(daysAgo(900)), to: dayOf(daysAgo(0, day)) };

export const percent = (rateBps: number, further: JsonObject = {}) => ({
  ...{ type: "percent", rateBps, scope: "lifetime" },
  ...further,
});

/** Runs simulations as the users' admin. */
export function simulations(users: FixtureUsers) {
  const path = ({ programId }: Pick<World, "programId">) => `/api/programs/${programId}/commission-policy/simulate`;
  const ask = (world: Pick<World, "programId">, policy: Json, days: JsonObject = {}, as = users.admin) =>
    as.post(path(world), { policy, ...allDays, ...days });

  async function linesOf(world: Pick<World, "programId">, policy: Json, days?: JsonObject): Promise<readonly Line[]> {
    const { status, text } = await ask(world, policy, days);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  }

  async function resultOf(world: Pick<World, "programId">, policy: Json, days?: JsonObject) {
    const { result } = (await linesOf(world, policy, days)).at(-1) ?? {};
    if (result === undefined) throw new Error("the last line has no result");
    return result;
  }

  return { path, ask, linesOf, resultOf };
}
