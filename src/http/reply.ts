import type { Call } from "../operations/operation.ts";
import type { Ctx } from "./context.ts";
import { Warnings, withWarnings } from "./key-rotation.ts";
import * as z from "./schema/zod.ts";

/** Top level of every answer but a refusal. */
export const warnings = { warnings: Warnings.optional() };

export const answer = <Body extends object>(c: Ctx, body: Body) => c.json(withWarnings(c, body), 200);

export const id = (description: string) => z.int().positive().openapi({ description });

export const TestData = z
  .object({
    eventId: z.int().nullable().openapi({ description: "Id of the stored event. Null if nothing was stored." }),
    programId: z.int(),
    test_mode: z.literal(true),
  })
  .openapi("TestData");

type EventName = "click" | "lead" | "sale" | "refund";

/** What an answer from the test book says beside the fields of the call. */
export const testAnswer = (event: EventName, eventId: number | undefined, programId: number) => ({
  success: true as const,
  message: `Test ${event} event tracked successfully`,
  data: { eventId: eventId ?? null, programId, test_mode: true as const },
});

/** The id of a test sale whose caller gave none. */
export const testTransactionId = ({ at, operationId }: Call): string => `test_txn_${at}_${operationId}`;
