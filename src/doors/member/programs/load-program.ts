import { readFromDatabase } from "#api/read-database.ts";
import type { ProgramId } from "#domain/ids.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Role } from "#domain/role.ts";
import type { Ctx } from "#http/context.ts";
import type * as z from "#http/schema/zod.ts";
import { readProgram } from "#store/views/programs.ts";
import { apiKeyReply } from "../api-keys/key-record.ts";
import { type ProgramWithKeys, programReply } from "./program-record.ts";

export async function loadProgram(
  c: Ctx,
  programId: ProgramId,
  role: Role,
): Promise<Result<z.output<typeof ProgramWithKeys>>> {
  const found = await readFromDatabase(c, "program", (database) => readProgram(database, programId));
  if (!found.ok) return found;
  const { program, keys } = found.value;
  if (program === undefined) return refused({ code: "not_found", what: "program" });
  const apiKeys = role === "owner" ? { apiKeys: keys.map(apiKeyReply) } : {};
  return ok({ ...programReply(program, role), ...apiKeys });
}
