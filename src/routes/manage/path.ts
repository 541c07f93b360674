import * as z from "../../http/zod.ts";

// What stands in paths is read where it is looked up: an id that can't be one is the id of nothing, and is no fault.

const id = (description: string) => z.string().openapi({ description });

const programId = id("The program.");
const workspaceId = id("The workspace.");

export const ProgramPath = z.object({ programId });
export const PartnerPath = z.object({ programId, partnerId: id("A partner of the program.") });
export const CommissionPath = z.object({ programId, commissionId: id("A commission of the program.") });
export const WorkspacePath = z.object({ workspaceId });
export const InvitationPath = z.object({ workspaceId, invitationId: id("An open invitation of the workspace.") });
export const MemberPath = z.object({ workspaceId, memberId: id("A member's, not their user's.") });
