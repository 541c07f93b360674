/** For a call whose id no edge Worker has created. */
export const newOperationId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
