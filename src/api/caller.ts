import type { PartnerRole } from "#domain/partner-access.ts";
import type { KeyedChangeCall } from "#operations/manage/settings-change.ts";
import type { PartnerScope } from "#store/accounts/partner-scope.ts";

/** The author of a change, a member or a verified key, with the call's id and instant. */
export type Caller = KeyedChangeCall;

/** Returns a field's name in the style of the caller's bodies: camelCase or snake_case. */
export type Naming = (field: string) => string;

/** An account with access to a partner. */
export interface InPartner {
  accountId: string;
  /** Instant of the sign-in, or of the last time that the user confirmed their identity (ms). */
  confirmedAt: number;
  role: PartnerRole | "owner";
  partner: Omit<PartnerScope, "roles">;
}
