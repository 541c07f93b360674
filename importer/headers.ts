/** Equal for headers that differ in case, spaces and punctuation. */
export const headerKey = (header: string): string => header.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
