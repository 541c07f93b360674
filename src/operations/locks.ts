import type { ProgramId } from "#domain/ids.ts";
/**
 * Payouts of a program are processed one at a time. Calls that lower the payable amount and calls that read the lines
 * of a payout use the same lock. Commissions that become payable later need no lock: their numbers are above every
 * cutoff.
 */
export const payoutLock = (programId: ProgramId): string => `payouts of program ${programId}`;

/**
 * Held by calls about accounts' access to partners: invitations, applications, the join page, terms and payment
 * details.
 */
export const accessLock = (programId: ProgramId): string => `partners' access to program ${programId}`;

/** Held by calls that name a group, because group names are unique in a program. */
export const groupsLock = (programId: ProgramId): string => `groups of program ${programId}`;

/** Held by calls that create a unit, because the number of units in a program is limited. */
export const unitsLock = (programId: ProgramId): string => `units of program ${programId}`;

/** Held by calls that create, end or dismiss a bonus, because the number of bonuses at a time is limited. */
export const bonusesLock = (programId: ProgramId): string => `bonuses of program ${programId}`;

/** Held by calls that open or decide a claim, because a partner and a program can have a limited number of open ones. */
export const claimsLock = (programId: ProgramId): string => `claims of program ${programId}`;

/** Held by calls that change webhooks, because a program has at most ten. Calls about deliveries hold it as shared. */
export const webhooksLock = (programId: ProgramId): string => `webhooks of program ${programId}`;

/**
 * Held by calls that change coupons or offers, because coupon codes are unique in a program. Sales with coupons hold it
 * as well.
 */
export const couponsLock = (programId: ProgramId): string => `coupons of program ${programId}`;
