import type { CommissionId } from "#domain/ids.ts";
import type { Refusal, RefusalCode } from "#domain/refusal.ts";
import { messageOf } from "#http/refusal/table.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";

/** Of one commission in a call about several. */
export const outcomeSchema = <const Result extends string>(name: string, results: readonly Result[]) =>
  z
    .object({
      id: id(),
      result: z.enum([...results, "refused"]),
      code: z.string().optional().describe("Refusal code."),
      message: z.string().optional().describe("Reason for the refusal."),
    })
    .openapi(name);

type Outcome<Result extends string> =
  | { readonly id: CommissionId; readonly result: Result }
  | { readonly id: CommissionId; readonly result: "refused"; readonly refusal: Refusal };

export function outcomeReply<Result extends string>(outcome: Outcome<Result>) {
  const { id, result } = outcome;
  if (!("refusal" in outcome)) return { id, result };
  const { refusal } = outcome;
  return { id, result, code: refusal.code satisfies RefusalCode, message: messageOf(refusal, undefined) };
}
