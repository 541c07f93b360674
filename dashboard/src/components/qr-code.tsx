import "../styles/qr-code.css";
import type { JSX } from "preact";
import { qrPicture } from "../qr-code.ts";

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

export function QrCode({ text, label }: QrCodeProps): JSX.Element {
  const { size, path } = qrPicture(text);
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path class="qr-light" d={`M0 0h${size}v${size}h-${size}z`} />
      <path class="qr-dark" d={path} />
    </svg>
  );
}
