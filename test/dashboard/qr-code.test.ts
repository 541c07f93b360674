import decode from "qr/decode.js";
import { describe, expect, test } from "vitest";
import { qrPicture } from "../../dashboard/src/qr-code.ts";

const pixelsPerModule = 4;

/** Renders the QR code's path to pixels, and decodes them with another library. */
function read(text: string): string {
  const { size, path } = qrPicture(text);
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`));
  const side = size * pixelsPerModule;
  const data = Array.from({ length: side * side }, (_, i) => {
    const [x, y] = [i % side, Math.floor(i / side)].map((at) => Math.floor(at / pixelsPerModule));
    const shade = dark.has(`${x},${y}`) ? 0 : 255;
    return [shade, shade, shade, 255];
  });
  return decode({ width: side, height: side, data: Uint8ClampedArray.from(data.flat()) });
}

describe("a QR code", () => {
  // The longest link in the partners' app has 858 bytes.
  test.each([1, 18, 33, 54, 106, 400, 858])("a QR code of %i bytes decodes to its text", (length) => {
    const text = "otpauth://totp/Ada".padEnd(length, "secret=ABCDEFGH234").slice(0, length);
    expect(read(text)).toBe(text);
  });

  test("a QR code of a text with umlauts decodes to the text", () => {
    const text = "https://shop.example/?aff=müsli&utm_campaign=Frühling";
    expect(read(text)).toBe(text);
  });

  test("a QR code is the same image each time", () => {
    const link = "https://shop.example/?aff=climb";
    expect(qrPicture(link)).toEqual(qrPicture(link));
    expect(qrPicture(link)).not.toEqual(qrPicture(`${link}2`));
  });

  test("a QR code has a quiet zone of four modules", () => {
    const { size, path } = qrPicture("https://shop.example/?aff=climb");
    const columns = [...path.matchAll(/M(\d+) /g)].map(([, x]) => Number(x));
    expect([Math.min(...columns), size - 1 - Math.max(...columns)]).toEqual([4, 4]);
  });
});
