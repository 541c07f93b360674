import { askRequestLog, requestRecord } from "#api/requests.ts";
import type { Result } from "#domain/result.ts";
import { ok } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import type { ExportPersonCall } from "#operations/privacy/export-person.ts";
import { namesMeant } from "./names-meant.ts";

/** Calls about a customer, as an export has them. */
export async function personRequests(c: Ctx, call: ExportPersonCall): Promise<Result<readonly object[]>> {
  const names = await namesMeant(c, call);
  if (!names.ok) return names;
  const { programId } = call;
  const logged = await askRequestLog(c, programId, (log) => log.listPerson({ programId, names: names.value }));
  if (!logged.ok) return logged;
  return ok(logged.value.map((call) => ({ of: "requests", ...requestRecord.reply({ ...call, keyName: undefined }) })));
}
