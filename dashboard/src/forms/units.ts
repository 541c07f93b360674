import { unitsByCode } from "#domain/units.ts";
import { api, take } from "../api/client.ts";
import { useProgramQuery } from "../api/use-program-query.ts";
import { setKnownUnits } from "../known-units.ts";

/** The program's units, by code. */
export const useUnits = () =>
  useProgramQuery("units", {}, async ({ param }, init) => {
    const { data } = await take(api.programs[":programId"].units.$get({ param }, init));
    setKnownUnits(unitsByCode(data));
    return data;
  });

export type Unit = NonNullable<ReturnType<typeof useUnits>["data"]>[number];
