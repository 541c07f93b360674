import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "#http/context.ts";
import { createApiKey, listApiKeys, retireApiKey, rotateApiKey, rotateApiToken, updateApiKey } from "./api-keys.ts";
import {
  approveApplication,
  approveApplications,
  declineApplication,
  declineApplications,
  listApplications,
} from "./applications.ts";
import { listAudit, listWorkspaceAudit } from "./audit.ts";
import { getBalanceParts } from "./balance-parts.ts";
import { createAdjustment, listBalances } from "./balances.ts";
import { awardBonuses, createBonus, dismissBonus, endBonus, listBonuses } from "./bonuses.ts";
import { listClaims, resolveClaim } from "./claims.ts";
import { commissionTotals, getCommission, listCommissions } from "./commissions.ts";
import { assignCustomer, correctSale } from "./corrections.ts";
import { createCoupon, listCoupons, updateCoupon } from "./coupons.ts";
import { listCustomers } from "./customers.ts";
import { listDayEntries } from "./day-entries.ts";
import {
  approveCommission,
  approveCommissions,
  holdCommission,
  holdCommissions,
  rejectCommission,
  rejectCommissions,
  releaseCommission,
  releaseCommissions,
} from "./decisions.ts";
import { listDeliveries, readFeed, replayWebhook, retryDelivery, sendExample } from "./deliveries.ts";
import { getEmbed, saveEmbed } from "./embed.ts";
import { erasePartner, erasePerson } from "./erasures.ts";
import { addPartnersToGroup, createGroup, listGroups, removePartnersFromGroups, updateGroup } from "./groups.ts";
import { exportRows, importRows } from "./imports.ts";
import { listLocations, listUnknownCodes } from "./integration.ts";
import { acceptInvitation, inviteMember, listInvitations, revokeInvitation, showInvitation } from "./invitations.ts";
import { createTerms, getJoinPage, listTerms, saveJoinPage } from "./join-page.ts";
import { createLink, updateLink } from "./links.ts";
import { leaveWorkspace, listMembers, removeMember, updateMember } from "./members.ts";
import { missingSale } from "./missing-sale.ts";
import { getAllNotifications, getNotifications, setAllNotifications, setNotifications } from "./notifications.ts";
import { getGroupOffer, getOffer, saveGroupOffer, saveOffer } from "./offers.ts";
import { endAccess, listAccess, revokePartnerInvitations } from "./partner-access.ts";
import { invitePartner, invitePartners, listInvitablePartners } from "./partner-invitations.ts";
import { breakdown } from "./partner-performance.ts";
import { createPartner, getPartner, listPartners, updatePartner } from "./partners.ts";
import { getPayment, requestPayments, setPayment } from "./payment-details.ts";
import { listPayoutFiles } from "./payment-files.ts";
import { mailPayoutStatements } from "./payout-statements.ts";
import { createPayout, getPayout, listPayouts } from "./payouts.ts";
import { listPolicies, setPolicy, simulatePolicy } from "./policies.ts";
import { exportPerson, getPrivacyRequest, getReceipt } from "./privacy.ts";
import { createProgram, getProgram, listPrograms, updateProgram } from "./programs.ts";
import { openProposal } from "./proposals.ts";
import { listRequests } from "./requests.ts";
import { getRisk, listTrackRecords, setRisk } from "./risk.ts";
import { cancelPayout, confirmPayout, failPayoutLine, finalizePayout } from "./settle-payout.ts";
import { getStatement } from "./statements.ts";
import { listToDo } from "./to-do.ts";
import { createUnit, listUnits } from "./units.ts";
import { createWebhook, deleteWebhook, listWebhooks, rotateWebhook, updateWebhook } from "./webhooks.ts";
import { createWorkspace, listWorkspaces, updateWorkspace } from "./workspaces.ts";

const workspaces = [createWorkspace, listWorkspaces, updateWorkspace, listWorkspaceAudit] as const;
const members = [listMembers, inviteMember, updateMember, removeMember, leaveWorkspace] as const;
const invitations = [listInvitations, revokeInvitation, showInvitation, acceptInvitation] as const;
const programs = [createProgram, listPrograms, getProgram, updateProgram, breakdown] as const;
const apiKeys = [listApiKeys, createApiKey, updateApiKey, rotateApiKey, retireApiKey, rotateApiToken] as const;
const partners = [
  createPartner,
  listPartners,
  getPartner,
  updatePartner,
  createLink,
  updateLink,
  missingSale,
  listDayEntries,
  getBalanceParts,
  requestPayments,
  getPayment,
  setPayment,
] as const;
const groups = [listGroups, createGroup, updateGroup, removePartnersFromGroups, addPartnersToGroup] as const;
const coupons = [listCoupons, createCoupon, updateCoupon] as const;
const offers = [getOffer, saveOffer, getGroupOffer, saveGroupOffer] as const;
const partnerAccess = [
  invitePartners,
  listInvitablePartners,
  revokePartnerInvitations,
  invitePartner,
  listAccess,
  endAccess,
] as const;
const joining = [
  getJoinPage,
  saveJoinPage,
  listTerms,
  createTerms,
  listApplications,
  approveApplications,
  declineApplications,
  approveApplication,
  declineApplication,
] as const;
const customers = [listCustomers, importRows, exportRows, assignCustomer] as const;
const policies = [listPolicies, setPolicy, simulatePolicy, listUnits, createUnit] as const;
const bonuses = [listBonuses, createBonus, endBonus, dismissBonus, awardBonuses] as const;
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
const claims = [listClaims, resolveClaim] as const;
const embed = [getEmbed, saveEmbed] as const;
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
  mailPayoutStatements,
] as const;

const privacy = [exportPerson, erasePerson, erasePartner, getPrivacyRequest, getReceipt] as const;

const notifications = [getNotifications, setNotifications, getAllNotifications, setAllNotifications] as const;

const webhooks = [
  readFeed,
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  replayWebhook,
  sendExample,
  listDeliveries,
  retryDelivery,
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
  ...offers,
  ...customers,
  ...policies,
  ...bonuses,
  ...commissions,
  ...risk,
  ...claims,
  ...embed,
  ...balances,
  ...payouts,
  ...notifications,
  openProposal,
  listToDo,
  listAudit,
  listRequests,
  listLocations,
  listUnknownCodes,
] as const);
