import type { Tone } from "../../../components/badge.tsx";
import type { Claim } from "./queries.ts";

interface State {
  readonly title: string;
  readonly tone: Tone;
  readonly detail?: string;
}

const states = {
  open: { title: "Waiting for the program", tone: "accent" },
  theirs: { title: "Assigned to you", tone: "good", detail: "Not every sale earns a commission." },
  declined: { title: "Declined", tone: "bad" },
} as const satisfies Readonly<Record<Claim["status"], State>>;

/** The state of a claim in plain words. */
export const claimState = ({ status, paysSale }: Pick<Claim, "status" | "paysSale">): State =>
  paysSale === false
    ? { title: "Your customer from now on", tone: "good", detail: "This sale isn't paid." }
    : states[status];
