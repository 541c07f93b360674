import { createHmac } from "node:crypto";
import { normalizeEmail } from "./email.ts";
import type { ProgramId } from "./ids.ts";

/** The form in which an address reaches the Ledger. */
export const emailDigest = (secret: string, email: string): string =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["email", normalizeEmail(email)]))
    .digest("hex");

/** As it is stored: equal for one address in one program alone. */
export const emailHash = (secret: string, programId: ProgramId, digest: string): string =>
  createHmac("sha256", secret).update(`${programId}|${digest}`).digest("base64url");
