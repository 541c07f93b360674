import { dayMs } from "./calendar.ts";

/**
 * `closed`: the page can't be found. `approval`: a member decides each application. `open`: applicants become partners
 * immediately.
 */
export const joinModes = ["closed", "approval", "open"] as const;
export type JoinMode = (typeof joinModes)[number];

export const isShownIn = (mode: JoinMode): boolean => mode !== "closed";

export interface JoinQuestion {
  readonly id: string;
  readonly label: string;
  readonly required: boolean;
}

export const slugForm = /^[a-z0-9-]{3,40}$/;
export const maxQuestions = 5;
export const maxAnswer = 1_000;

export const applicationStatuses = ["pending", "approved", "declined"] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** The number of days before a declined account can apply again. */
const declinedDays = 30;

/** When a declined account can apply again (ms). */
export const appliesAgainAt = (declinedAt: number): number => declinedAt + declinedDays * dayMs;

/** Answers by question id. */
export type Answers = Readonly<Record<string, string>>;

/** Builds a code from the partner's name: lower-case letters, digits and dashes. `ending` makes it unique. */
export function codeFromName(name: string, ending: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 40)
    .replace(/-$/, "");
  // A code must not be `undefined` or `null`, which links contain if their code is missing.
  const base = plain.length < 2 || /^(?:undefined|null)$/.test(plain) ? "partner" : plain;
  return ending === "" ? base : `${base}-${ending}`;
}
