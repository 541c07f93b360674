import type { GroupId } from "#domain/ids.ts";
import { type ApplicationRow, insertAcceptedTerms } from "#store/join-pages.ts";
import { savePartnerAccount } from "#store/partner-access.ts";
import type { Write } from "#store/statement.ts";
import { hashesOf } from "../attribution/customer.ts";
import { createPartnerWrites } from "../manage/partner-writes.ts";
import { auditWrite, type ChangeCall } from "../manage/settings-change.ts";
import type { Context } from "../operation.ts";

interface NewPartner {
  readonly code: string;
  /** The account's email address, which becomes the partner's. */
  readonly email: string | null;
  readonly groupId: GroupId | null;
}

/**
 * Creates the partner, the account's access, and the record of the accepted terms. The caller updates the application
 * itself.
 */
export function approvalWrites(
  call: ChangeCall,
  application: ApplicationRow,
  { code, email, groupId }: NewPartner,
  context: Context,
) {
  const { programId, at } = call;
  const { id, name, accountId, termsVersion, openedOn } = application;
  const values = { name, email, externalId: null, destinationUrl: null, groupId, status: "active" } as const;
  // Audit entries have unique operation ids. The application's entry has the call's id, so the partner's entry needs
  // another id.
  const { partnerId, writes } = createPartnerWrites(
    { ...call, operationId: `${call.operationId} partner` },
    values,
    { code, madeBy: "owner" },
    context,
  );
  const accepted = { partnerId, accountId, programId, acceptedAt: application.createdAt };
  const change = {
    programId,
    action: "application.approved",
    subject: `application ${id}`,
    before: null,
    after: { partnerId, accountId, role: "manage", termsVersion, ...(openedOn !== null && { openedOn }) },
  };
  const access = { partnerId, accountId, programId, role: "manage", createdAt: at } as const;
  return {
    approved: { ...application, status: "approved", partnerId, decidedAt: at } as const,
    writes: [
      ...writes,
      savePartnerAccount({ ...access, ...hashesOf(email, programId, context) }),
      ...(termsVersion === null ? [] : [insertAcceptedTerms({ ...accepted, version: termsVersion })]),
      auditWrite(call, change, context),
    ] as readonly Write[],
  };
}
