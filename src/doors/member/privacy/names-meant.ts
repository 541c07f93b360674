import { readFromDatabase } from "#api/read-database.ts";
import type { Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { readBatch } from "#store/database.ts";
import { customersMeant } from "#store/person-asked.ts";

/** As callers may have named the customer, who must not be erased yet. */
export function namesMeant(c: Ctx, asked: Parameters<typeof customersMeant>[0]): Promise<Result<readonly string[]>> {
  return readFromDatabase(c, "program", async (database) => {
    const { customers } = await readBatch(database, { customers: customersMeant(asked) });
    const known = customers.flatMap(({ customerKey, otherKeys }) => [customerKey ?? [], otherKeys].flat());
    return [...new Set([...asked.keys, ...known])];
  });
}
