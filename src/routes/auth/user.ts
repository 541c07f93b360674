import { instant } from "../../http/instant.ts";
import * as z from "../../http/zod.ts";

export const UserReply = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .openapi("User");

interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly image?: string | null | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const userReply = (user: User): z.output<typeof UserReply> => ({
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image ?? null,
  createdAt: instant(user.createdAt.getTime()),
  updatedAt: instant(user.updatedAt.getTime()),
});
