import { isTimezone } from "../../../domain/calendar.ts";
import { payoutApprovals } from "../../../domain/payout-status.ts";
import { maskProgramKey } from "../../../domain/program-key.ts";
import { programStatus, programStatuses } from "../../../domain/program-status.ts";
import { attributionModels, leadAuths, payoutModes, windowUntils } from "../../../domain/program-terms.ts";
import * as fields from "../../../http/schema/fields.ts";
import { timestamp, timestampOrNull } from "../../../http/schema/timestamp.ts";
import * as z from "../../../http/schema/zod.ts";
import type { ProgramRow } from "../../../store/programs.ts";
import type { KeyView } from "../../../store/views/programs.ts";

export const websiteUrl = () => fields.webUrl("websiteUrl").transform((url) => url || null);

export const timezone = () => {
  const message = "timezone must be an IANA time zone name";
  return z.string(message).max(255, message).refine(isTimezone, message).openapi({ example: "Europe/Amsterdam" });
};

export const ProgramReply = z
  .object({
    id: z.int(),
    workspaceId: z.string(),
    name: z.string(),
    websiteUrl: z.string().nullable(),
    currency: z.string(),
    timezone: z.string(),
    leadAuth: z.enum(leadAuths),
    attributionModel: z.enum(attributionModels),
    attributionWindowDays: z.int(),
    windowUntil: z
      .enum(windowUntils)
      .describe(
        "Event that must fall within the attribution window. `lead`: the lead; the first sale may come at any time after it. `first_sale`: the first sale too. Without a lead, the first sale must always fall within the window.",
      ),
    cookieWindowDays: z.int().nullable().describe("Null means the attribution window."),
    payoutMode: z.enum(payoutModes).nullable(),
    minimumPayoutCents: z.int().nullable().describe("In the program's currency. Null means 1."),
    payoutTerms: z.string().nullable(),
    payoutApproval: z.enum(payoutApprovals),
    status: z.enum(programStatuses),
    archivedAt: z.iso.datetime().nullable().describe("Null unless the program is archived."),
    createdAt: z.iso.datetime(),
  })
  .openapi("Program");

export const ApiKey = z
  .object({
    id: z.int(),
    masked: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso
      .datetime()
      .nullable()
      .describe("Start of the hour of the key's last accepted call. Null if none is recorded."),
    retiresAt: z.iso
      .datetime()
      .nullable()
      .describe("The key is refused from this time on. Null if it isn't being replaced."),
  })
  .openapi("ApiKey");

export const ProgramWithKeys = ProgramReply.extend({
  apiKeys: z.array(ApiKey).optional().describe("Newest first. Visible only to owners."),
}).openapi("ProgramWithKeys");

export const programReply = ({ createdAt, ...program }: ProgramRow): z.output<typeof ProgramReply> => ({
  ...program,
  status: programStatus(program),
  archivedAt: timestampOrNull(program.archivedAt),
  createdAt: timestamp(createdAt),
});

export const apiKeyReply = (programId: number, key: KeyView): z.output<typeof ApiKey> => ({
  id: key.id,
  masked: maskProgramKey(programId, key.lastFour),
  createdAt: timestamp(key.createdAt),
  lastUsedAt: timestampOrNull(key.lastUsedAt),
  retiresAt: timestampOrNull(key.retiresAt),
});
