import { maxPartnerNote } from "#domain/note.ts";
import * as fields from "#http/schema/form-fields.ts";

export const reason = () => fields.nonBlank("reason").describe("For your team. Recorded in the audit log.");

export const partnerNote = () =>
  fields
    .optional(fields.nonBlank("partnerNote", maxPartnerNote))
    .describe("For the partner: shown on their statement. They never see any other text.");

export const shortReason = () =>
  fields.nonBlank("reason", 500).describe("For your team: why it is held. Recorded in the audit log.");

export const releaseNote = () =>
  fields.optional(fields.nonBlank("note", 500)).describe("For your team. Recorded in the audit log.");
