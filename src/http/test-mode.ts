import type { ProgramId } from "#domain/ids.ts";
import { id } from "./schema/integers.ts";
import * as z from "./schema/zod.ts";

export const TestData = z
  .object({
    eventId: id().nullable().openapi({ description: "Id of the stored event. Null if nothing was stored." }),
    programId: id(),
    test_mode: z.literal(true),
  })
  .openapi("TestData");

type EventName = "click" | "lead" | "sale" | "refund";

export const testReply = (event: EventName, eventId: number | undefined, programId: ProgramId) => ({
  success: true as const,
  message: `Test ${event} event tracked successfully`,
  data: { eventId: eventId ?? null, programId, test_mode: true as const },
});
