/** Of a call that no edge Worker has minted one for. */
export const newOperationId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
