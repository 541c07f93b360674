import { memberStatuses, roles } from "#domain/role.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";

export const MemberReply = z
  .object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    status: z.enum(memberStatuses),
    twoFactor: z.boolean().describe("True if signing in requires a code."),
  })
  .openapi("Member");

export const role = () => fields.oneOf("role", roles);
