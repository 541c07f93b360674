import { createHash } from "node:crypto";
import type { Call } from "../../operations/operation.ts";

/** One more call of the Ledger within a request, with an id of its own that is minted of the request's. */
export const deriveCall = ({ operationId }: Call, name: string): Call => ({
  operationId: createHash("sha256").update(`${operationId} ${name}`).digest("hex").slice(0, operationId.length),
  at: Date.now(),
});
