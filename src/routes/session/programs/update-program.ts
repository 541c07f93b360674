import { createRoute } from "@hono/zod-openapi";
import { programStatuses } from "../../../domain/program-status.ts";
import { attributionModels, leadAuths, payoutModes, windowUntils } from "../../../domain/program-terms.ts";
import { callLedger } from "../../../http/call-ledger.ts";
import { body, ok } from "../../../http/content.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { refuse } from "../../../http/refusal/refuse.ts";
import { refusals } from "../../../http/refusal/responses.ts";
import { inputRefusals, memberRefusals, sessionRefusals, writeRefusals } from "../../../http/refusal/session-codes.ts";
import { refuseInvalid } from "../../../http/refusal/validation.ts";
import * as wire from "../../../http/schema/fields.ts";
import * as fields from "../../../http/schema/form-fields.ts";
import * as z from "../../../http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { programMemberAndBody } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { ProgramWithKeys, timezone, websiteUrl } from "./program-reply.ts";
import { showProgram } from "./show-program.ts";

const maxWindowDays = 365;

const ProgramChanges = z
  .object({
    name: wire.optional(fields.filled("name")),
    websiteUrl: websiteUrl().nullish().describe("Null or empty removes it."),
    currency: wire.optional(wire.currency("currency")),
    timezone: wire.optional(timezone()).describe("Time zone of the days in reports. Applies to events from now on."),
    leadAuth: wire.optional(fields.oneOf("leadAuth", leadAuths)),
    attributionModel: wire.optional(fields.oneOf("attributionModel", attributionModels)),
    attributionWindowDays: wire.optional(fields.whole("attributionWindowDays", 1, maxWindowDays)),
    windowUntil: wire.optional(fields.oneOf("windowUntil", windowUntils)),
    cookieWindowDays: fields
      .whole("cookieWindowDays", 1, maxWindowDays)
      .nullish()
      .describe("Null means the attribution window."),
    payoutMode: wire.optional(fields.oneOf("payoutMode", payoutModes)),
    status: wire
      .optional(fields.oneOf("status", programStatuses))
      .describe(
        "`archived` stops recording and keeps all data; `active` or `paused` restores an archived program. Only owners can archive and restore.",
      ),
  })
  .openapi("ProgramChanges");

export const updateProgram = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}",
    operationId: "updateProgram",
    tags: ["Management"],
    summary: "Update a program",
    description:
      "Changes apply from the next call on and alter no earlier decision. " +
      "Of an archived program, only the status can be changed.",
    ...programMemberAndBody("admin"),
    request: { params: ProgramPath, body: body(ProgramChanges) },
    responses: {
      ...ok("The updated program", z.object({ data: ProgramWithKeys })),
      ...refusals(undefined, [
        ...writeRefusals,
        ...memberRefusals,
        ...inputRefusals,
        "program_archived",
        ...sessionRefusals,
      ]),
    },
  }),
  hook: refuseInvalid(ProgramChanges),
  handler: async (c) => {
    const isOwner = c.get("membership").role === "owner";
    const update = { ...actingMember(c), kind: "update-program", isOwner, changes: c.req.valid("json") } as const;
    const updated = await callLedger(c, update, (ledger) => ledger.change("update-program", update));
    if (!updated.ok) return refuse(c, updated.refusal);
    const shown = await showProgram(c, update.programId, c.get("membership").role);
    return shown.ok ? c.json({ data: shown.value }, 200) : refuse(c, shown.refusal);
  },
});
