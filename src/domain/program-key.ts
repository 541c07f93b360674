import { createHash } from "node:crypto";
import { hourMs } from "./calendar.ts";

/** How long a replaced key goes on working where nothing is said, and at most. */
export const defaultGraceHours = 24;
export const maxGraceHours = 30 * 24;

const secretBytes = 32;

/** A new program API key, from 32 random bytes: `svc_<program id, base 36>_<43 base64url characters>`. */
export function mintProgramKey(programId: number, random: Uint8Array): string {
  if (random.length !== secretBytes) throw new RangeError("a program key is made of 32 random bytes");
  return `svc_${programId.toString(36)}_${Buffer.from(random).toString("base64url")}`;
}

/** The program that a key names, if the text has exactly the form of a key; whether it was ever issued is not known. */
export function readProgramKey(text: string): { readonly programId: number } | undefined {
  // 43 characters hold two bits more than 32 bytes: the last one is of the sixteen that leave them 0.
  const digits = /^svc_([0-9a-z]{1,11})_[\w-]{42}[AEIMQUYcgkosw048]$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const programId = Number.parseInt(digits, 36);
  const isExact = programId >= 1 && Number.isSafeInteger(programId) && programId.toString(36) === digits;
  return isExact ? { programId } : undefined;
}

/** What is stored of a key: SHA-256 of its text, lower-case hex. */
export const hashProgramKey = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What is shown of a key once it has been issued: `svc_1_••••abcd`. */
export const maskProgramKey = (programId: number, lastFour: string): string =>
  `svc_${programId.toString(36)}_••••${lastFour}`;

/** Instants in milliseconds. */
export type KeyState =
  | { readonly state: "live" }
  | { readonly state: "retiring"; readonly retiresAt: number }
  | { readonly state: "retired"; readonly retiredAt: number };

/**
 * A key with a deadline works until it, and from it on no more. The keys of an archived program are retired since then,
 * whatever the caller's clock says: a call sent just before the program was archived is refused too.
 */
export function keyState(
  key: { readonly retiresAt: number | null },
  at: number,
  archivedAt: number | null = null,
): KeyState {
  if (archivedAt !== null) return { state: "retired", retiredAt: Math.min(key.retiresAt ?? archivedAt, archivedAt) };
  if (key.retiresAt === null) return { state: "live" };
  if (at < key.retiresAt) return { state: "retiring", retiresAt: key.retiresAt };
  return { state: "retired", retiredAt: key.retiresAt };
}

export interface RotatableKey {
  readonly id: number;
  readonly createdAt: number;
  readonly retiresAt: number | null;
}

export interface Rotation {
  /** The deadlines to write; a key not listed keeps its own. */
  readonly retire: readonly { readonly id: number; readonly retiresAt: number }[];
  /** When the key that was newest until now stops working; the instant of the rotation where there was none. */
  readonly previousRetiresAt: number;
}

/**
 * What a new key does to those before it: the newest of them works on for the grace, any older one ends at once,
 * so that two keys are live and never three. A deadline already set is never put off.
 */
export function rotation(liveKeys: readonly RotatableKey[], graceHours: number | undefined, at: number): Rotation {
  const [previous, ...older] = liveKeys
    .filter((key) => keyState(key, at).state !== "retired")
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  if (previous === undefined) return { retire: [], previousRetiresAt: at };

  const hours = Math.min(Math.max(graceHours ?? defaultGraceHours, 0), maxGraceHours);
  const deadline = at + Math.round(hours * hourMs);
  const previousRetiresAt = Math.min(previous.retiresAt ?? deadline, deadline);
  const retire = older.map(({ id }) => ({ id, retiresAt: at }));
  if (previousRetiresAt !== previous.retiresAt) retire.unshift({ id: previous.id, retiresAt: previousRetiresAt });
  return { retire, previousRetiresAt };
}
