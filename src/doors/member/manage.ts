import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { createAdjustment } from "./adjustments/create-adjustment.ts";
import { createApiKey } from "./api-keys/create-api-key.ts";
import { listApiKeys } from "./api-keys/list-api-keys.ts";
import { retireApiKey } from "./api-keys/retire-api-key.ts";
import { rotateApiKey } from "./api-keys/rotate-api-key.ts";
import { rotateApiToken } from "./api-keys/rotate-api-token.ts";
import { updateApiKey } from "./api-keys/update-api-key.ts";
import { listBalances } from "./balances/list-balances.ts";
import { approveCommission } from "./commissions/approve-commission.ts";
import { approveCommissions } from "./commissions/approve-commissions.ts";
import { commissionTotals } from "./commissions/commission-totals.ts";
import { getCommission } from "./commissions/get-commission.ts";
import { holdCommission } from "./commissions/hold-commission.ts";
import { holdCommissions } from "./commissions/hold-commissions.ts";
import { listCommissions } from "./commissions/list-commissions.ts";
import { rejectCommission } from "./commissions/reject-commission.ts";
import { rejectCommissions } from "./commissions/reject-commissions.ts";
import { releaseCommission } from "./commissions/release-commission.ts";
import { releaseCommissions } from "./commissions/release-commissions.ts";
import { createCoupon, listCoupons, updateCoupon } from "./coupons.ts";
import { assignCustomer } from "./customers/assign-customer.ts";
import { addPartnersToGroup } from "./groups/add-partners.ts";
import { createGroup } from "./groups/create-group.ts";
import { listGroups } from "./groups/list-groups.ts";
import { updateGroup } from "./groups/update-group.ts";
import { exportRows } from "./imports/export-rows.ts";
import { importRows } from "./imports/import-rows.ts";
import { approveApplication } from "./join/approve-application.ts";
import { createTerms } from "./join/create-terms.ts";
import { approveApplications, declineApplications } from "./join/decide-applications.ts";
import { declineApplication } from "./join/decline-application.ts";
import { getJoinPage } from "./join/get-join-page.ts";
import { listApplications } from "./join/list-applications.ts";
import { listTerms } from "./join/list-terms.ts";
import { saveJoinPage } from "./join/save-join-page.ts";
import { endAccess } from "./partner-access/end-access.ts";
import { invitePartner } from "./partner-access/invite-partner.ts";
import { invitePartners } from "./partner-access/invite-partners.ts";
import { listAccess } from "./partner-access/list-access.ts";
import { revokePartnerInvitations } from "./partner-access/revoke-invitations.ts";
import { createLink } from "./partners/create-link.ts";
import { createPartner } from "./partners/create-partner.ts";
import { getPartner } from "./partners/get-partner.ts";
import { getPayment } from "./partners/get-payment.ts";
import { listPartners } from "./partners/list-partners.ts";
import { missingSale } from "./partners/missing-sale.ts";
import { setPayment } from "./partners/set-payment.ts";
import { updateLink } from "./partners/update-link.ts";
import { updatePartner } from "./partners/update-partner.ts";
import { cancelPayout } from "./payouts/cancel-payout.ts";
import { confirmPayout } from "./payouts/confirm-payout.ts";
import { createPayout } from "./payouts/create-payout.ts";
import { failPayoutLine } from "./payouts/fail-line.ts";
import { listPayoutFiles } from "./payouts/files/list-files.ts";
import { finalizePayout } from "./payouts/finalize-payout.ts";
import { getPayout } from "./payouts/get-payout.ts";
import { listPayouts } from "./payouts/list-payouts.ts";
import { listPolicies } from "./policies/list-policies.ts";
import { setPolicy } from "./policies/set-policy.ts";
import { simulatePolicy } from "./policies/simulate-policy.ts";
import { erasePartner } from "./privacy/erase-partner.ts";
import { erasePerson } from "./privacy/erase-person.ts";
import { exportPerson } from "./privacy/export-person.ts";
import { getReceipt } from "./privacy/get-receipt.ts";
import { getPrivacyRequest } from "./privacy/get-request.ts";
import { createProgram } from "./programs/create-program.ts";
import { getProgram } from "./programs/get-program.ts";
import { listAudit } from "./programs/list-audit.ts";
import { listLocations } from "./programs/list-locations.ts";
import { listPrograms } from "./programs/list-programs.ts";
import { listUnknownCodes } from "./programs/list-unknown-codes.ts";
import { updateProgram } from "./programs/update-program.ts";
import { listRequests } from "./requests/list-requests.ts";
import { getRisk } from "./risk/get-risk.ts";
import { listTrackRecords } from "./risk/list-track-records.ts";
import { setRisk } from "./risk/set-risk.ts";
import { correctSale } from "./sales/correct-sale.ts";
import { getStatement } from "./statements/get-statement.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { readFeed } from "./webhooks/read-feed.ts";
import { replayWebhook } from "./webhooks/replay-webhook.ts";
import { retryDelivery } from "./webhooks/retry-delivery.ts";
import { rotateWebhook } from "./webhooks/rotate-webhook.ts";
import { sendExample } from "./webhooks/send-example.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";
import { acceptInvitation } from "./workspaces/accept-invitation.ts";
import { createWorkspace } from "./workspaces/create-workspace.ts";
import { inviteMember } from "./workspaces/invite-member.ts";
import { leaveWorkspace } from "./workspaces/leave-workspace.ts";
import { listInvitations } from "./workspaces/list-invitations.ts";
import { listMembers } from "./workspaces/list-members.ts";
import { listWorkspaceAudit } from "./workspaces/list-workspace-audit.ts";
import { listWorkspaces } from "./workspaces/list-workspaces.ts";
import { removeMember } from "./workspaces/remove-member.ts";
import { revokeInvitation } from "./workspaces/revoke-invitation.ts";
import { showInvitation } from "./workspaces/show-invitation.ts";
import { updateMember } from "./workspaces/update-member.ts";
import { updateWorkspace } from "./workspaces/update-workspace.ts";

const workspaces = [createWorkspace, listWorkspaces, updateWorkspace, listWorkspaceAudit] as const;
const members = [listMembers, inviteMember, updateMember, removeMember, leaveWorkspace] as const;
const invitations = [listInvitations, revokeInvitation, showInvitation, acceptInvitation] as const;
const programs = [createProgram, listPrograms, getProgram, updateProgram] as const;
const apiKeys = [listApiKeys, createApiKey, updateApiKey, rotateApiKey, retireApiKey, rotateApiToken] as const;
const partners = [
  ...([createPartner, listPartners, getPartner, updatePartner, createLink, updateLink, missingSale] as const),
  ...([getPayment, setPayment] as const),
] as const;
const groups = [listGroups, createGroup, updateGroup, addPartnersToGroup] as const;
const coupons = [listCoupons, createCoupon, updateCoupon] as const;
const partnerAccess = [invitePartners, revokePartnerInvitations, invitePartner, listAccess, endAccess] as const;
const joining = [
  ...([getJoinPage, saveJoinPage, listTerms, createTerms, listApplications] as const),
  ...([approveApplications, declineApplications, approveApplication, declineApplication] as const),
] as const;
const customers = [importRows, exportRows, assignCustomer] as const;
const policies = [listPolicies, setPolicy, simulatePolicy] as const;
const commissions = [
  listCommissions,
  commissionTotals,
  approveCommissions,
  rejectCommissions,
  holdCommissions,
  releaseCommissions,
  getCommission,
  approveCommission,
  rejectCommission,
  holdCommission,
  releaseCommission,
  correctSale,
] as const;
const risk = [getRisk, setRisk, listTrackRecords] as const;
const balances = [listBalances, createAdjustment, getStatement] as const;
const payouts = [
  createPayout,
  listPayouts,
  getPayout,
  listPayoutFiles,
  finalizePayout,
  confirmPayout,
  cancelPayout,
  failPayoutLine,
] as const;

const privacy = [exportPerson, erasePerson, erasePartner, getPrivacyRequest, getReceipt] as const;

const webhooks = [
  ...([readFeed, listWebhooks, createWebhook, updateWebhook, deleteWebhook, rotateWebhook] as const),
  ...([replayWebhook, sendExample, listDeliveries, retryDelivery] as const),
] as const;

export const manage = new OpenAPIHono<AppEnv>().openapiRoutes([
  ...workspaces,
  ...webhooks,
  ...privacy,
  ...members,
  ...invitations,
  ...programs,
  ...apiKeys,
  ...partnerAccess,
  ...joining,
  ...partners,
  ...groups,
  ...coupons,
  ...customers,
  ...policies,
  ...commissions,
  ...risk,
  ...balances,
  ...payouts,
  listAudit,
  listRequests,
  listLocations,
  listUnknownCodes,
] as const);
