import type { Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { customersMeant, type WhoIsMeant } from "#operations/privacy/person-call.ts";
import { readBatch } from "#store/database.ts";
import { readFromDatabase } from "../../read-database.ts";

/** As callers may have named the customer, who must not be erased yet. */
export function namesMeant(c: Ctx, asked: WhoIsMeant): Promise<Result<readonly string[]>> {
  return readFromDatabase(c, "program", async (database) => {
    const { customers } = await readBatch(database, { customers: customersMeant(asked) });
    const known = customers.flatMap(({ customerKey, otherKeys }) => [customerKey ?? [], otherKeys].flat());
    return [...new Set([...asked.keys, ...known])];
  });
}
