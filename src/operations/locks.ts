import type { ProgramId } from "#domain/ids.ts";
/**
 * Only one payout of a program is processed at a time. Calls that lower the payable amount, or that read the lines of a
 * payout, share the lock. Commissions that become payable later have a number above any cutoff, so they don't need it.
 */
export const payoutLock = (programId: ProgramId): string => `payouts of program ${programId}`;

/** Access to the program's partners. */
export const accessLock = (programId: ProgramId): string => `partners' access to program ${programId}`;

/** Group names are unique in a program. */
export const groupsLock = (programId: ProgramId): string => `groups of program ${programId}`;

/** A program has at most ten webhooks. */
export const webhooksLock = (programId: ProgramId): string => `webhooks of program ${programId}`;

/** Coupon codes are unique in a program. Sales with coupons share the lock. */
export const couponsLock = (programId: ProgramId): string => `coupons of program ${programId}`;
