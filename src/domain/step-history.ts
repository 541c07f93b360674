import type { ReachedStep } from "./tiers.ts";

/** More steps than a partner usually reaches in a year. A sale of an earlier period needs another read. */
export const newestStepsKept = 40;

/** A partner's newest steps, newest first, without gaps. */
export interface StepHistory {
  readonly newest: readonly ReachedStep[];
  readonly isWhole: boolean;
}

export const noSteps: StepHistory = { newest: [], isWhole: true };

/** `steps` are the newest ones, newest first, and one before them if there is one. */
export const stepHistory = (steps: readonly ReachedStep[]): StepHistory => ({
  newest: steps.slice(0, newestStepsKept),
  isWhole: steps.length <= newestStepsKept,
});
