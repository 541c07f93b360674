/** A key that is equal for headers that differ only in case, spaces and punctuation. */
export const headerKey = (header: string): string => header.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
