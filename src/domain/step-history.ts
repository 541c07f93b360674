import type { ReachedStep } from "./tiers.ts";

/** Partners rarely reach more steps than this in a year. Older steps are read from the database. */
export const newestStepsKept = 40;

/** A partner's newest steps, newest first, without gaps. `isWhole` is true if they are all of the partner's steps. */
export interface StepHistory {
  readonly newest: readonly ReachedStep[];
  readonly isWhole: boolean;
}

export const noSteps: StepHistory = { newest: [], isWhole: true };

/** `steps` has the newest steps first. If it has more than `newestStepsKept`, the partner has older ones. */
export const stepHistory = (steps: readonly ReachedStep[]): StepHistory => ({
  newest: steps.slice(0, newestStepsKept),
  isWhole: steps.length <= newestStepsKept,
});
