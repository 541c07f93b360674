import { askRequestLog } from "#api/requests.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { Outcome } from "#operations/operation.ts";
import type { PersonErased } from "#operations/privacy/erasure-commits.ts";
import type { NamedPerson } from "#requests/rpc.ts";

/** Removes the customer from the request log, even if nothing else is known of them, or they were erased before. */
export async function eraseRequests(c: Ctx, person: NamedPerson, erased: Outcome<PersonErased>): Promise<Result<void>> {
  if (!erased.ok && erased.refusal.code !== "person_not_found") return ok<void>(undefined);
  const isErased = erased.ok || ("receiptId" in erased.refusal && erased.refusal.receiptId !== undefined);
  return askRequestLog(c, person.programId, (log) => log.erase({ ...person, isErased }));
}
