/** A new id for a call that no edge Worker has given one. */
export const newOperationId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
