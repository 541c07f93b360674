import "../styles/qr-code.css";
import type { JSX } from "preact";
import { qrCode } from "../qr-code.ts";

const quietZone = 4;

interface QrCodeProps {
  /** At most 858 bytes. */
  readonly text: string;
  readonly label: string;
}

export function QrCode({ text, label }: QrCodeProps): JSX.Element {
  const rows = qrCode(text);
  const size = rows.length + 2 * quietZone;
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : [])),
  );
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path class="qr-light" d={`M0 0h${size}v${size}h-${size}z`} />
      <path class="qr-dark" d={path.join("")} />
    </svg>
  );
}
