/** Maximum length of a text with a QR code: that of a longer one is too dense to scan from a screen. */
const maxBytes = 858;

export const isScannable = (text: string): boolean => new TextEncoder().encode(text).length <= maxBytes;
