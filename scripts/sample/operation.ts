import { createHash } from "node:crypto";

/** Returns the id of one of the sample's operations: 16 hexadecimal digits. */
export const operationOf = (name: string): string =>
  createHash("sha256").update(`sample program: ${name}`).digest("hex").slice(0, 16);
