import type { PartnerRole } from "#domain/partner-access.ts";
import type { KeyedChangeCall } from "#operations/manage/settings-change.ts";
import type { PartnerScope } from "#store/accounts/partner-scope.ts";

/** The author of a change (a member or a verified key), with the call's id and instant. */
export type Caller = KeyedChangeCall;

/** Returns a field's name in the style of the caller's bodies: camelCase or snake_case. */
export type Naming = (field: string) => string;

/** An account with access to a partner, or an owner of the workspace who views the partner's pages. */
export interface InPartner {
  accountId: string;
  /** When the user last proved who they are (ms), as in `doors/member/guards.ts`. */
  confirmedAt: number;
  role: PartnerRole | "owner";
  partner: Omit<PartnerScope, "roles">;
}
