import type { Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { PersonCall } from "#operations/privacy/person-call.ts";
import { readBatch } from "#store/database.ts";
import { customersAsked } from "#store/person.ts";
import { readFromDatabase } from "../../read-database.ts";

type Asked = Pick<PersonCall, "programId" | "keys" | "emailHash" | "clickId">;

/** As callers may have named the customer, who must not be erased yet. */
export function namesMeant(c: Ctx, { programId, keys, emailHash, clickId }: Asked): Promise<Result<readonly string[]>> {
  const asked = { programId, keys: JSON.stringify(keys), emailHash, clickId };
  return readFromDatabase(c, "program", async (database) => {
    const { customers } = await readBatch(database, { customers: customersAsked(asked) });
    return [...new Set([...keys, ...customers.flatMap(({ customerKey }) => customerKey ?? [])])];
  });
}
