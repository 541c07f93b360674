import type { JSX } from "preact";
import { QrCode } from "../../../components/qr-code.tsx";

export default function Picture({ link }: { readonly link: string }): JSX.Element {
  return (
    <>
      <QrCode text={link} label="QR code of the link" />
      <p class="soft breakable">{link}</p>
    </>
  );
}
