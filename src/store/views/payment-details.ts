import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { type Database, readBatch } from "../database.ts";
import { partnerOfProgram } from "../partners.ts";
import { newestPaymentDetails } from "../payment-details.ts";

export const findPaymentDetails = (
  database: Database,
  { programId, partnerId }: { readonly programId: ProgramId; readonly partnerId: PartnerId },
) =>
  readBatch(database, {
    partner: partnerOfProgram({ programId, id: partnerId }),
    newest: newestPaymentDetails({ programId, partnerId }),
  });
