import type { Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { PersonCall } from "#operations/privacy/person-call.ts";
import { readBatch } from "#store/database.ts";
import { customersAsked } from "#store/person-asked.ts";
import { readFromDatabase } from "../../read-database.ts";

type Asked = Pick<PersonCall, "programId" | "keys" | "emailHash" | "clickId" | "digests">;

/** As callers may have named the customer, who must not be erased yet. */
export function namesMeant(c: Ctx, { keys, ...others }: Asked): Promise<Result<readonly string[]>> {
  const { programId, emailHash, clickId, digests } = others;
  const asked = { programId, keys: JSON.stringify(keys), emailHash, clickId, digests };
  return readFromDatabase(c, "program", async (database) => {
    const { customers } = await readBatch(database, { customers: customersAsked(asked) });
    const known = customers.flatMap(({ customerKey, otherKeys }) => [customerKey ?? [], otherKeys].flat());
    return [...new Set([...keys, ...known])];
  });
}
