import { correction, generate } from "lean-qr/nano";

/** Width of the light margin around a code that readers expect, in modules. */
const quietZone = 4;

export interface QrPicture {
  /** Length of a side in modules, with the margin. */
  readonly size: number;
  /** An SVG path of the dark modules. */
  readonly path: string;
}

/** Throws if the text is longer than a QR code can hold, about 2,900 bytes. */
export function qrPicture(text: string): QrPicture {
  const code = generate(text, { minCorrectionLevel: correction.L });
  const size = code.size + 2 * quietZone;
  const at = Array.from({ length: size }, (_, i) => i);
  const dark = at.flatMap((y) =>
    at.filter((x) => code.get(x - quietZone, y - quietZone)).map((x) => `M${x} ${y}h1v1h-1z`),
  );
  return { size, path: dark.join("") };
}
