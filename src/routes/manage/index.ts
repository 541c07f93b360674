import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../http/app-env.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { approveCommission } from "./approve-commission.ts";
import { createPartner } from "./create-partner.ts";
import { createProgram } from "./create-program.ts";
import { createWorkspace } from "./create-workspace.ts";
import { getProgram } from "./get-program.ts";
import { inviteMember } from "./invite-member.ts";
import { listAudit } from "./list-audit.ts";
import { listCommissions } from "./list-commissions.ts";
import { listInvitations } from "./list-invitations.ts";
import { listMembers } from "./list-members.ts";
import { listPartners } from "./list-partners.ts";
import { listPolicies } from "./list-policies.ts";
import { listPrograms } from "./list-programs.ts";
import { listWorkspaceAudit } from "./list-workspace-audit.ts";
import { listWorkspaces } from "./list-workspaces.ts";
import { rejectCommission } from "./reject-commission.ts";
import { removeMember } from "./remove-member.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import { rotateApiToken } from "./rotate-api-token.ts";
import { setPolicy } from "./set-policy.ts";
import { showInvitation } from "./show-invitation.ts";
import { updateMember } from "./update-member.ts";
import { updatePartner } from "./update-partner.ts";
import { updateProgram } from "./update-program.ts";

const workspaces = [createWorkspace, listWorkspaces, listWorkspaceAudit] as const;
const members = [listMembers, inviteMember, updateMember, removeMember] as const;
const invitations = [listInvitations, revokeInvitation, showInvitation, acceptInvitation] as const;
const programs = [createProgram, listPrograms, getProgram, updateProgram, rotateApiToken] as const;
const partners = [createPartner, listPartners, updatePartner] as const;
const policies = [listPolicies, setPolicy] as const;
const commissions = [listCommissions, approveCommission, rejectCommission] as const;

/** Workspaces, programs, partners, policies and commissions. */
export const manage = new OpenAPIHono<AppEnv>().openapiRoutes([
  ...workspaces,
  ...members,
  ...invitations,
  ...programs,
  ...partners,
  ...policies,
  ...commissions,
  listAudit,
] as const);
