import type { CallOptions, Optional } from "../inputs.ts";
import type { Failure, Success } from "../results.ts";
import type { List, PageFilter } from "./lists.ts";

/** A partner to create. Partners are live: a test key can't create them. */
export interface PartnerInput {
  /** At most 255 characters. */
  readonly name: string;
  /** The value of `aff` in the partner's link: 2 to 64 letters, digits, `-` or `_`, with a letter or digit at each end. Unique, ignoring case. */
  readonly code: string;
  readonly email?: Optional<string>;
  /** Your own id of the partner, which makes it safe to repeat the call. At most 255 characters. */
  readonly externalId?: Optional<string>;
  /** The page to which the partner's link leads. Default: the program's website. */
  readonly destinationUrl?: Optional<string>;
}

/** Absent or undefined fields stay unchanged. */
export interface PartnerChanges {
  readonly name?: string | undefined;
  /** `paused`: clicks aren't recorded, and sales earn no commission. */
  readonly status?: "active" | "paused" | undefined;
  /** Null removes the address. After a change, payouts leave the partner out for at least 7 days. */
  readonly email?: Optional<string>;
  /** Null removes your id. */
  readonly externalId?: Optional<string>;
  /** Null: the link leads to the program's website. */
  readonly destinationUrl?: Optional<string>;
}

export interface PartnerFilter extends PageFilter {
  /** Lists only the partner with this id of yours. */
  readonly externalId?: Optional<string>;
}

export interface Partner {
  readonly id: number;
  readonly code: string;
  /** The referral link. Null if neither the partner nor the program has a page that it leads to. */
  readonly link: string | null;
  readonly name: string;
  /** Only with a key that has the scope `manage`. */
  readonly email?: string | null;
  readonly externalId: string | null;
  readonly destinationUrl: string | null;
  readonly status: "active" | "paused";
  /** The group that the partner is in. */
  readonly groupId: number | null;
  /** True if signals of fraud never hold the partner's commissions, but only flag them. */
  readonly riskExempt: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
}

export type PartnerResult = Success<Partner> | Failure;

export interface Partners extends List<Partner, PartnerFilter> {
  /**
   * Creates a partner: status 201. Send an `externalId`: a repeat of the call is then answered with the same partner
   * and status 200, so failed calls are retried like any other. A repeat with other values is refused with 409:
   * `details.code` is `differs`, and `details.differences` lists wire names.
   *
   * Without an `externalId`, the call is sent only once: after a lost response, a repeat would be refused with
   * `code_taken`, because the first attempt created the partner.
   */
  create(partner: PartnerInput, options?: CallOptions): Promise<PartnerResult>;
  update(partnerId: number, changes: PartnerChanges, options?: CallOptions): Promise<PartnerResult>;
}
