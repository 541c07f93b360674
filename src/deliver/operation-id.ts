/** Returns an operation id for a call that doesn't come from a request. */
export const newOperationId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
