import type { Tone } from "../../../components/badge.tsx";
import type { Claim } from "./queries.ts";

/** The states of a claim in plain words. */
export const claimStates = {
  open: { title: "Waiting for the program", tone: "accent" },
  theirs: { title: "Credited to you", tone: "good" },
  declined: { title: "Declined", tone: "bad" },
} as const satisfies Readonly<Record<Claim["status"], { readonly title: string; readonly tone: Tone }>>;
