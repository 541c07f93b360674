import * as z from "#http/schema/zod.ts";
import { UserReply } from "./user.ts";

export const SignedIn = z
  .object({ redirect: z.literal(false), token: z.string(), user: UserReply })
  .openapi("SignedIn");
