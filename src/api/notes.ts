import { maxPartnerNote } from "#domain/note.ts";
import * as fields from "#http/schema/form-fields.ts";

export const reason = () =>
  fields.nonBlank("reason").describe("Reason, visible only to your team. Recorded in the audit log.");

export const partnerNote = () =>
  fields
    .optional(fields.nonBlank("partnerNote", maxPartnerNote))
    .describe("Note for the partner, shown on their statement. The partner sees no other text of this call.");

export const shortReason = () =>
  fields.nonBlank("reason", 500).describe("Reason for the hold, for your team. Recorded in the audit log.");

export const releaseNote = () =>
  fields.optional(fields.nonBlank("note", 500)).describe("Note for your team. Recorded in the audit log.");
