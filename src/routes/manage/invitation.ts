import { createHash } from "node:crypto";

/** What is stored of an invitation's token. */
export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex");
