/** Maximum length of a text that gets a QR code. The code of a longer text is too dense to scan from a screen. */
const maxBytes = 858;

export const isScannable = (text: string): boolean => new TextEncoder().encode(text).length <= maxBytes;
