import type { ProgramId } from "#domain/ids.ts";
/**
 * One payout of a program is worked on at a time. Calls that lower what is payable, or that read what a payout holds, share
 * the lock: what becomes payable later has a number above any cut, and needs none.
 */
export const payoutLock = (programId: ProgramId): string => `payouts of program ${programId}`;

/** Who sees what of the program's partners. */
export const accessLock = (programId: ProgramId): string => `partners' access to program ${programId}`;

/** No two groups of a program have one name. */
export const groupsLock = (programId: ProgramId): string => `groups of program ${programId}`;

/** Of the program's webhooks: there are at most ten. */
export const webhooksLock = (programId: ProgramId): string => `webhooks of program ${programId}`;

/** Of the program's coupons: no two have one code. Sales that come with some share it. */
export const couponsLock = (programId: ProgramId): string => `coupons of program ${programId}`;
