/** 32 random bytes, base64url: what nobody can guess. */
export const randomSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
