import { pathId } from "#http/schema/id.ts";
import * as z from "#http/schema/zod.ts";

/** Fields in members' bodies have camelCase names, which need no translation. */
export const asNamed = (field: string): string => field;

// The schema of a path accepts any text. An invalid id then gets 404 instead of 400.

const id = (description: string) => z.string().openapi({ description });

const programId = id("Id of the program.");
const workspaceId = id("Id of the workspace.");

export const ProgramPath = z.object({ programId });
export const PartnerPath = z.object({ programId, partnerId: pathId("partner", "Id of a partner of the program.") });
export const GroupPath = z.object({ programId, groupId: pathId("group", "Id of a group of the program's partners.") });
export const CouponPath = z.object({ programId, couponId: pathId("coupon", "Id of a coupon of the program.") });
export const BonusPath = z.object({ programId, bonusId: pathId("bonus", "Id of a bonus of the program.") });
export const ReceiptPath = z.object({ programId, receiptId: id("Id of a receipt of the program.") });
export const PrivacyRequestPath = z.object({ programId, requestId: id("Id of one of your requests.") });
export const WebhookPath = z.object({ programId, webhookId: pathId("webhook", "Id of a webhook of the program.") });
export const DeliveryPath = WebhookPath.extend({ eventId: id("Id of an event.") });
export const AccessPath = PartnerPath.extend({ accountId: id("Id of an account that has access to the partner.") });
export const ApplicationPath = z.object({
  programId,
  applicationId: pathId("application", "Id of an application to the program."),
});
export const ClaimPath = z.object({ programId, claimId: pathId("claim", "Id of a claim of the program.") });
export const LinkPath = z.object({ programId, code: z.string().openapi({ description: "Code of a partner." }) });
export const CommissionPath = z.object({
  programId,
  commissionId: pathId("commission", "Id of a commission of the program."),
});
export const SalePath = z.object({ programId, saleId: pathId("sale", "Id of a sale of the program.") });
export const KeyPath = z.object({ programId, keyId: pathId("key", "Id of an API key of the program.") });
const payoutId = pathId("payout", "Id of a payout of the program.");
export const PayoutPath = z.object({ programId, payoutId });
export const PayoutLinePath = z.object({ programId, payoutId, partnerId: pathId("line", "Id of the line's partner.") });
export const WorkspacePath = z.object({ workspaceId });
export const InvitationPath = z.object({ workspaceId, invitationId: id("Id of an open invitation to the workspace.") });
export const MemberPath = z.object({ workspaceId, memberId: id("Id of the membership, not of the user.") });
