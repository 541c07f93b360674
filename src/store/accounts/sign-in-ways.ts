import { eq, ne } from "drizzle-orm";
import { accounts } from "../schema/users.ts";

/** The provider of a row of `accounts` that has a password. In other rows it is the issuer of an identity. */
export const passwordProvider = "credential";

export const isPassword = eq(accounts.providerId, passwordProvider);
export const isIdentity = ne(accounts.providerId, passwordProvider);
