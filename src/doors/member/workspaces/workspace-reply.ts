import { roles } from "#domain/role.ts";
import * as z from "#http/schema/zod.ts";

export const WorkspaceReply = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(roles).describe("Your role."),
    requireTwoFactor: z.boolean().describe("Members without two-factor authentication can only read."),
  })
  .openapi("Workspace");
