import { randomBytes } from "node:crypto";
import { noVisit } from "#api/verification/synthetic-events.ts";
import type { ClickCall } from "#operations/track/record-click.ts";
import type { World } from "../../harness/world.ts";

/** Returns a call with a live click on the first partner's link. `at` is in milliseconds. */
export const clickCall = (
  { programId, partner }: Pick<World, "programId" | "partner">,
  at: number,
  fields: Partial<ClickCall> = {},
): ClickCall => ({
  operationId: randomBytes(8).toString("hex"),
  at,
  kind: "click",
  isTest: false,
  programId,
  code: partner.code,
  codeParam: null,
  sub: null,
  key: undefined,
  occurredAt: at,
  eventId: null,
  existingClickId: null,
  eventName: null,
  isLimited: false,
  visit: { ...noVisit, source: "browser" },
  ...fields,
});
