import type { PartnerRole } from "#domain/partner-access.ts";
import type { KeyedChangeCall } from "#operations/manage/settings-change.ts";
import type { PartnerScope } from "#store/accounts/partner-scope.ts";

/** The author of a change: a member, or a verified key. With the call's id and instant. */
export type Caller = KeyedChangeCall;

/** How the fields of a caller's bodies are named. */
export type Naming = (field: string) => string;

/** A caller with access to a partner. */
export interface InPartner {
  accountId: string;
  role: PartnerRole | "owner";
  partner: Omit<PartnerScope, "roles">;
}
