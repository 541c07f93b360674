import { mayActAs, type Role } from "#domain/role.ts";

/** Partners' email addresses are for owners and admins. */
export const seesEmails = ({ role }: { readonly role: Role }): boolean => mayActAs(role, "admin");
