import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import type { SessionUser } from "#store/accounts/sessions.ts";

export const UserReply = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    twoFactor: z.boolean().describe("True if signing in requires a code."),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .openapi("User");

export const userReply = (user: SessionUser): z.output<typeof UserReply> => ({
  id: user.userId,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
  twoFactor: user.twoFactor,
  createdAt: timestamp(user.createdAt.getTime()),
  updatedAt: timestamp(user.updatedAt.getTime()),
});
