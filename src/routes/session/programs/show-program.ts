import type { Refusal } from "../../../domain/refusal.ts";
import type { Role } from "../../../domain/role.ts";
import type { Ctx } from "../../../http/context.ts";
import type * as z from "../../../http/schema/zod.ts";
import { readProgram } from "../../../store/views/programs.ts";
import { readFromDatabase } from "../../read-database.ts";
import { apiKeyReply, type ProgramWithKeys, programReply } from "./program-reply.ts";

type Shown =
  | { readonly ok: true; readonly value: z.output<typeof ProgramWithKeys> }
  | { readonly ok: false; readonly refusal: Refusal };

/** A program as it is now, as far as a role may see it. */
export async function showProgram(c: Ctx, programId: number, role: Role): Promise<Shown> {
  const found = await readFromDatabase(c, (database) => readProgram(database, programId));
  if (!found.ok) return found;
  const { program, keys } = found.value;
  if (program === undefined) return { ok: false, refusal: { code: "not_found", what: "program" } };
  const apiKeys = role === "owner" ? { apiKeys: keys.map((key) => apiKeyReply(programId, key)) } : {};
  return { ok: true, value: { ...programReply(program), ...apiKeys } };
}
